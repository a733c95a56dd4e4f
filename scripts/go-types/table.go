package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"encoding/json"
	"github.com/operator-framework/api/pkg/lib/release"
	"github.com/operator-framework/api/pkg/lib/version"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types that read and write JSON in their own way: the decoder knows each by its name here.
var leaves = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():                                  "Time",
	reflect.TypeFor[meta.MicroTime]():                             "MicroTime",
	reflect.TypeFor[meta.Duration]():                              "Duration",
	reflect.TypeFor[meta.FieldsV1]():                              "Raw",
	reflect.TypeFor[resource.Quantity]():                          "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                         "IntOrString",
	reflect.TypeFor[runtime.RawExtension]():                       "Raw",
	reflect.TypeFor[json.RawMessage]():                            "RawMessage",
	reflect.TypeFor[unstructured.Unstructured]():                  "Unstructured",
	reflect.TypeFor[apiextensions.JSON]():                         "Raw",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "SchemaOrArray",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "SchemaOrBool",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "SchemaOrStrings",
	reflect.TypeFor[version.OperatorVersion]():                    "OperatorVersion",
	reflect.TypeFor[release.OperatorRelease]():                    "OperatorRelease",
	reflect.TypeFor[operatorsv1alpha1.UpdateStrategy]():           "UpdateStrategy",
}

// A member of a struct as JSON shows it.
type member struct {
	name string
	// "", "?" for omitempty, "!" for omitzero.
	omit string
	typ  reflect.Type
}

// Short names of packages whose last element says nothing.
var packages = map[string]string{
	"k8s.io/api/core/v1":       "core",
	"k8s.io/api/apps/v1":       "apps",
	"k8s.io/api/networking/v1": "networking",
	"k8s.io/api/policy/v1":     "policy",
	"k8s.io/api/scheduling/v1": "scheduling",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1": "apiextensions",
	"k8s.io/api/rbac/v1":                                             "rbac",
	"k8s.io/api/admissionregistration/v1":                            "admission",
	"k8s.io/apimachinery/pkg/apis/meta/v1":                           "meta",
	"github.com/operator-framework/api/pkg/operators/v1":             "operators",
	"github.com/operator-framework/api/pkg/operators/v1alpha1":       "alpha",
	"github.com/operator-framework/api/pkg/operators/v2":             "operatorsv2",
	"github.com/operator-framework/operator-controller/api/v1":       "olmv1",
	"github.com/operator-framework/operator-registry/alpha/property": "property",
	"github.com/operator-framework/operator-registry/pkg/registry":   "registry",
}

func nameOf(t reflect.Type) string {
	short, known := packages[t.PkgPath()]
	if !known {
		panic(fmt.Sprintf("no short name for %s of %v", t.PkgPath(), t))
	}
	return short + "." + t.Name()
}

// The type of a member in the notation of the table: `[]` before a list, `{}` before a map, `*` before a pointer.
func notation(t reflect.Type) string {
	if leaf, known := leaves[t]; known {
		return leaf
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + notation(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + notation(t.Elem())
	case reflect.Map:
		return "{}" + notation(t.Elem())
	case reflect.Struct:
		return nameOf(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32:
		return "int32"
	case reflect.Int, reflect.Int64:
		return "int64"
	case reflect.Float64:
		return "float64"
	}
	panic(fmt.Sprintf("no notation for %v", t))
}

// The members of a struct in the order in which Go writes them; those of embedded structs in their place.
func membersOf(t reflect.Type) []member {
	var members []member
	for i := range t.NumField() {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		if tag[0] == "-" || (!field.IsExported() && !field.Anonymous) {
			continue
		}
		if field.Anonymous && tag[0] == "" {
			members = append(members, membersOf(field.Type)...)
			continue
		}
		omit := ""
		if slices.Contains(tag, "omitzero") {
			omit = "!"
		} else if slices.Contains(tag, "omitempty") {
			omit = "?"
		}
		name := tag[0]
		if name == "" {
			name = field.Name
		}
		members = append(members, member{name, omit, field.Type})
	}
	return members
}

// All structs that can be reached from the roots, in the order in which they are met.
func structsOf(roots []reflect.Type) []reflect.Type {
	var found []reflect.Type
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		if _, known := leaves[t]; known {
			return
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			if slices.Contains(found, t) {
				return
			}
			found = append(found, t)
			for _, one := range membersOf(t) {
				visit(one.typ)
			}
		}
	}
	for _, root := range roots {
		visit(root)
	}
	return found
}

func lineOf(t reflect.Type) string {
	parts := []string{nameOf(t)}
	for _, one := range membersOf(t) {
		parts = append(parts, one.name+one.omit+":"+notation(one.typ))
	}
	return strings.Join(parts, " ")
}
