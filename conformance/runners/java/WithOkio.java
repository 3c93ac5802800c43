import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import okio.Buffer;

/** Okio: its own decoder, which Buffer.readUtf8CodePoint has on every platform, and kotlinx-io has from it. */
final class WithOkio {
    // The decoder waits for the bytes that a lead byte announces: letters at the end stand for the end of the data.
    private static final String END = "AAA";

    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        var out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII)));
        out.printf(
                "{\"program\": \"Okio\", \"version\": \"%s\", \"operations\": [\"Buffer.readUtf8CodePoint\"]}\n",
                arguments[0]);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            var buffer = new Buffer().write(HexFormat.of().parseHex(line)).writeUtf8(END);
            var text = new StringBuilder();
            while (!buffer.exhausted()) {
                text.appendCodePoint(buffer.readUtf8CodePoint());
            }
            var decoded = text.substring(0, text.length() - END.length());
            out.println(HexFormat.of().formatHex(decoded.getBytes(StandardCharsets.UTF_8)));
        }
        out.flush();
    }
}
