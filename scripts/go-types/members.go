package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// The values that each member is given; the same list is in the replay.
var inputs = []string{
	`null`, `""`, `"a"`, `"1"`, `0`, `1`, `1.5`, `3000000000`, `true`, `false`,
	`"2026-01-02T03:04:05+01:00"`, `"1000m"`, `"v1.2"`, `"1h"`,
	`[]`, `[null]`, `["a"]`, `[1]`, `[{}]`, `{}`, `{"a":null}`, `{"a":"b"}`, `{"a":1}`,
}

// Outcomes of a value in Go.
const (
	refused = iota
	omitted
	same
	panicked
)

// Writes a line for each member: the struct, the member, what Go writes if it is absent, and for each input a code,
// or a list with what Go writes.
func writeMembers(out io.Writer, t reflect.Type) {
	for _, one := range membersOf(t) {
		line := []any{nameOf(t), one.name, outcomeOf(t, one.name, "")}
		for _, input := range inputs {
			line = append(line, outcomeOf(t, one.name, input))
		}
		encoded, err := json.Marshal(line)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(encoded))
	}
}

func outcomeOf(t reflect.Type, name string, input string) (outcome any) {
	defer func() {
		if recover() != nil {
			outcome = panicked
		}
	}()
	object := "{}"
	if input != "" {
		object = fmt.Sprintf("{%q:%s}", name, input)
	}
	value := reflect.New(t)
	if err := json.Unmarshal([]byte(object), value.Interface()); err != nil {
		return refused
	}
	encoded, err := json.Marshal(value.Interface())
	if err != nil {
		return refused
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &members); err != nil {
		panic(err)
	}
	written, there := members[name]
	switch {
	case !there:
		return omitted
	case string(written) == input:
		return same
	default:
		return []any{written}
	}
}
