// Says what Go makes of pieces of YAML. Reads one JSON object a line, {"yaml": text, "mode": mode}, and writes
// {"json": documents, "error": text} for each: the documents before the error. Modes: "stream", as opm and kubectl
// read files; "document", as sigs.k8s.io/yaml reads one document; "strict", the same with each key once.
//
//	cd scripts/go-yaml && go build -o ../../dist/go-yaml .
//	node dist/scripts/yaml-vectors.js compare 1 10000       # compares our reader with Go, by seeds
//	node dist/scripts/yaml-vectors.js write                 # writes test/vectors/yaml
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	stream "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type piece struct{ Yaml, Mode string }

type answer struct {
	JSON  []json.RawMessage `json:"json"`
	Error string            `json:"error,omitempty"`
}

func document(text string, read func([]byte) ([]byte, error)) answer {
	converted, err := read([]byte(text))
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{JSON: []json.RawMessage{converted}}
}

func documents(text string) (found answer) {
	decoder := stream.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var one json.RawMessage
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			found.Error = err.Error()
			return found
		}
		if one == nil {
			one = json.RawMessage("null")
		}
		found.JSON = append(found.JSON, one)
	}
}

func answerTo(one piece) answer {
	switch one.Mode {
	case "stream":
		return documents(one.Yaml)
	case "document":
		return document(one.Yaml, yaml.YAMLToJSON)
	case "strict":
		return document(one.Yaml, yaml.YAMLToJSONStrict)
	}
	panic("unknown mode " + one.Mode)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		var one piece
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		written, err := json.Marshal(answerTo(one))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(written))
	}
}
