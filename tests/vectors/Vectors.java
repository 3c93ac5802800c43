import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads texts, one a line as units of UTF-16 in hex, and writes a line for each: the text, its Modified UTF-8 as
 * DataOutputStream writes it (without the length), and its CESU-8 by the charset of that name, or "-" if it has none.
 */
class Vectors {
    public static void main(String[] arguments) throws IOException {
        List<String> lines = Files.readAllLines(Path.of(arguments[0]));
        for (String line : lines) {
            String text = parsed(line);
            System.out.println(line + " " + hex(modified(text)) + " " + cesu(text));
        }
    }

    static String parsed(String line) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at + 4 <= line.length(); at += 4) {
            text.append((char) Integer.parseInt(line.substring(at, at + 4), 16));
        }
        return text.toString();
    }

    static byte[] modified(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(text);
        byte[] all = bytes.toByteArray();
        return java.util.Arrays.copyOfRange(all, 2, all.length);
    }

    static String cesu(String text) {
        try {
            ByteBuffer bytes = Charset.forName("CESU-8").newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .encode(CharBuffer.wrap(text));
            byte[] all = new byte[bytes.remaining()];
            bytes.get(all);
            return hex(all);
        } catch (CharacterCodingException failure) {
            return "-";
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder digits = new StringBuilder();
        for (byte each : bytes) {
            digits.append(String.format("%02x", each));
        }
        return digits.toString();
    }
}
