import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Java: strings and the decoder of charsets. */
final class Conformance {
    private static final String[] OPERATIONS = {
        "CharsetDecoder, REPORT", "new String(bytes, UTF_8)", "CharsetDecoder, REPLACE", "CharsetDecoder, IGNORE",
    };

    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        var out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII)));
        out.printf(
                "{\"program\": \"Java\", \"version\": \"%s\", \"operations\": [\"%s\"]}\n",
                System.getProperty("java.version"), String.join("\", \"", OPERATIONS));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            byte[] data = HexFormat.of().parseHex(line);
            out.print(decoded(data, CodingErrorAction.REPORT) + "\t");
            out.print(hex(new String(data, StandardCharsets.UTF_8)) + "\t");
            out.print(decoded(data, CodingErrorAction.REPLACE) + "\t");
            out.print(decoded(data, CodingErrorAction.IGNORE) + "\n");
        }
        out.flush();
    }

    private static String decoded(byte[] data, CodingErrorAction action) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(action);
        try {
            return hex(decoder.decode(ByteBuffer.wrap(data)).toString());
        } catch (CharacterCodingException error) {
            return "-";
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
