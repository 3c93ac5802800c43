// Go: the ways of reading a string, and unicode/utf8 and strings.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"
)

func main() {
	fmt.Printf("{\"program\": \"Go\", \"version\": \"%s\", \"operations\": "+
		"[\"utf8.Valid\", \"[]rune(string)\", \"strings.ToValidUTF8\"]}\n", runtime.Version()[2:])
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		data, err := hex.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		valid := "-"
		if utf8.Valid(data) {
			valid = hex.EncodeToString(data)
		}
		runes := hex.EncodeToString([]byte(string([]rune(string(data)))))
		repaired := hex.EncodeToString([]byte(strings.ToValidUTF8(string(data), "\ufffd")))
		fmt.Fprintf(out, "%s\t%s\t%s\n", valid, runes, repaired)
	}
}
