package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"
)

// A small catalog; the replay has the same one. Each blob has every member that a blob of its schema may have.
const catalog = `[
{"schema":"olm.package","name":"a","defaultChannel":"stable","description":"d","icon":{"base64data":"PHN2Zy8+","mediatype":"image/svg+xml"},"properties":[{"type":"x","value":1}]},
{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v1.0.0","replaces":"a.v0.9.0","skips":["a.v0.8.0"],"skipRange":"<1.0.0"}],"properties":[{"type":"x","value":1}]},
{"schema":"olm.bundle","package":"a","name":"a.v1.0.0","image":"r.test/a:1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"g.test","kind":"A","version":"v1"}},{"type":"olm.gvk.required","value":{"group":"g.test","kind":"B","version":"v1"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":">=1.0.0"}},{"type":"olm.csv.metadata","value":{"displayName":"A","provider":{"name":"p"}}},{"type":"x","value":1}],"relatedImages":[{"name":"n","image":"r.test/a:1"}]},
{"schema":"olm.deprecations","package":"a","entries":[{"reference":{"schema":"olm.bundle","name":"a.v1.0.0"},"message":"m"}]}
]`

type place struct {
	blob int
	path []any
	of   reflect.Type
}

var places = []place{
	{0, nil, reflect.TypeFor[declcfg.Package]()},
	{0, []any{"icon"}, reflect.TypeFor[declcfg.Icon]()},
	{0, []any{"properties", 0}, reflect.TypeFor[property.Property]()},
	{1, nil, reflect.TypeFor[declcfg.Channel]()},
	{1, []any{"entries", 0}, reflect.TypeFor[declcfg.ChannelEntry]()},
	{1, []any{"properties", 0}, reflect.TypeFor[property.Property]()},
	{2, nil, reflect.TypeFor[declcfg.Bundle]()},
	{2, []any{"relatedImages", 0}, reflect.TypeFor[declcfg.RelatedImage]()},
	{2, []any{"properties", 0}, reflect.TypeFor[property.Property]()},
	{2, []any{"properties", 0, "value"}, reflect.TypeFor[property.Package]()},
	{2, []any{"properties", 1, "value"}, reflect.TypeFor[property.GVK]()},
	{2, []any{"properties", 2, "value"}, reflect.TypeFor[property.GVKRequired]()},
	{2, []any{"properties", 3, "value"}, reflect.TypeFor[property.PackageRequired]()},
	{2, []any{"properties", 4, "value"}, reflect.TypeFor[property.CSVMetadata]()},
	{2, []any{"properties", 5}, reflect.TypeFor[property.Property]()},
	{3, nil, reflect.TypeFor[declcfg.Deprecation]()},
	{3, []any{"entries", 0}, reflect.TypeFor[declcfg.DeprecationEntry]()},
	{3, []any{"entries", 0, "reference"}, reflect.TypeFor[declcfg.PackageScopedReference]()},
}

// Outcomes of a blob in opm.
const (
	notLoaded = iota
	notValid
	absent
)

// Writes a line for each member: the number of the blob, the path of the member, and for absent and each input a
// code, or a list with what opm writes in its place.
func writeBlobs(out io.Writer) {
	for _, one := range places {
		for _, member := range membersOf(one.of) {
			if member.name == "schema" && one.path == nil {
				continue
			}
			path := append(append([]any{}, one.path...), member.name)
			line := []any{one.blob, path, blobOutcome(one.blob, path, "")}
			for _, input := range inputs {
				line = append(line, blobOutcome(one.blob, path, input))
			}
			encoded, err := json.Marshal(line)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(out, string(encoded))
		}
	}
}

func blobOutcome(blob int, path []any, input string) any {
	var blobs []map[string]any
	if err := json.Unmarshal([]byte(catalog), &blobs); err != nil {
		panic(err)
	}
	put(blobs[blob], path, input)
	var text strings.Builder
	for _, one := range blobs {
		encoded, err := json.Marshal(one)
		if err != nil {
			panic(err)
		}
		text.Write(encoded)
		text.WriteString("\n")
	}
	loaded, err := declcfg.LoadReader(strings.NewReader(text.String()))
	if err != nil {
		return notLoaded
	}
	if _, err := declcfg.ConvertToModel(*loaded); err != nil {
		return notValid
	}
	var written bytes.Buffer
	if err := declcfg.WriteJSON(*loaded, &written); err != nil {
		return notValid
	}
	schema := blobs[blob]["schema"]
	decoder := json.NewDecoder(&written)
	for decoder.More() {
		var found map[string]any
		if err := decoder.Decode(&found); err != nil {
			panic(err)
		}
		if found["schema"] == schema {
			return at(found, path)
		}
	}
	return absent
}

func put(value any, path []any, input string) {
	last := path[len(path)-1].(string)
	for _, part := range path[:len(path)-1] {
		if index, isIndex := part.(int); isIndex {
			value = value.([]any)[index]
		} else {
			value = value.(map[string]any)[part.(string)]
		}
	}
	if input == "" {
		delete(value.(map[string]any), last)
		return
	}
	value.(map[string]any)[last] = json.RawMessage(input)
}

func at(value any, path []any) any {
	for _, part := range path {
		switch inner := value.(type) {
		case []any:
			index, isIndex := part.(int)
			if !isIndex || index >= len(inner) {
				return absent
			}
			value = inner[index]
		case map[string]any:
			name, isName := part.(string)
			next, there := inner[name]
			if !isName || !there {
				return absent
			}
			value = next
		default:
			return absent
		}
	}
	return []any{value}
}
