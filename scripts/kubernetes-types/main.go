// Writes the table of Kubernetes' built-in types that the simulated API servers decode protobuf bodies and answer
// `kubectl explain` with: of each type its description, of each field the JSON name, the protobuf number, the type,
// whether Go leaves a zero value out, and the description. The Go types themselves are the source.
//
//	cd scripts/kubernetes-types && go mod tidy && go run . > ../../libs/testing/src/cluster/types/kubernetes-types.json
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// The kinds that the simulator serves, by group and version.
var roots = []struct {
	groupVersion string
	kinds        []any
}{
	{"v1", []any{core.ConfigMap{}, core.Endpoints{}, core.Event{}, core.Namespace{}, core.Node{},
		core.PersistentVolumeClaim{}, core.Pod{}, core.ResourceQuota{}, core.Secret{}, core.ServiceAccount{}, core.Service{}}},
	{"apps/v1", []any{apps.ControllerRevision{}, apps.DaemonSet{}, apps.Deployment{}, apps.ReplicaSet{}, apps.StatefulSet{}}},
	{"autoscaling/v1", []any{autoscalingv1.Scale{}}},
	{"autoscaling/v2", []any{autoscaling.HorizontalPodAutoscaler{}}},
	{"batch/v1", []any{batch.CronJob{}, batch.Job{}}},
	{"coordination.k8s.io/v1", []any{coordination.Lease{}}},
	{"discovery.k8s.io/v1", []any{discovery.EndpointSlice{}}},
	{"events.k8s.io/v1", []any{events.Event{}}},
	{"rbac.authorization.k8s.io/v1", []any{rbac.Role{}, rbac.RoleBinding{}, rbac.ClusterRole{}, rbac.ClusterRoleBinding{}}},
	{"networking.k8s.io/v1", []any{networking.Ingress{}, networking.NetworkPolicy{}}},
	{"policy/v1", []any{policy.PodDisruptionBudget{}}},
	{"scheduling.k8s.io/v1", []any{scheduling.PriorityClass{}}},
	{"storage.k8s.io/v1", []any{storage.StorageClass{}}},
	{"apiextensions.k8s.io/v1", []any{apiextensions.CustomResourceDefinition{}}},
	{"apiregistration.k8s.io/v1", []any{apiregistration.APIService{}}},
	{"admissionregistration.k8s.io/v1", []any{admissionregistration.MutatingWebhookConfiguration{},
		admissionregistration.ValidatingWebhookConfiguration{}}},
	{"authentication.k8s.io/v1", []any{authentication.TokenReview{}, authentication.TokenRequest{}, authentication.SelfSubjectReview{}}},
	{"authorization.k8s.io/v1", []any{authorization.SelfSubjectAccessReview{}, authorization.SubjectAccessReview{},
		authorization.LocalSubjectAccessReview{}, authorization.SelfSubjectRulesReview{}}},
	{"meta/v1", []any{meta.DeleteOptions{}}},
}

// Types that JSON shows in their own way; the decoder knows each by name.
var special = map[string]bool{
	"io.k8s.apimachinery.pkg.apis.meta.v1.Time":                                                     true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime":                                                true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1":                                                 true,
	"io.k8s.apimachinery.pkg.api.resource.Quantity":                                                 true,
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString":                                               true,
	"io.k8s.apimachinery.pkg.runtime.RawExtension":                                                  true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON":                                 true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray":               true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool":                true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray":         true,
}

type field struct {
	Name   string `json:"name"`
	Number int    `json:"number"`
	// A scalar (string, bytes, bool, int32, int64, double) or the name of a type.
	Type string `json:"type"`
	// list, map (of texts to the type), or empty.
	Of       string `json:"of,omitempty"`
	Required bool   `json:"required,omitempty"`
	// Whether JSON leaves a zero value out: omitempty, and no pointer.
	OmitsZero bool   `json:"omitsZero,omitempty"`
	Doc       string `json:"doc,omitempty"`
}

type description struct {
	Doc    string  `json:"doc,omitempty"`
	Fields []field `json:"-"`
}

var types = map[string]description{}

func nameOf(t reflect.Type) string {
	path := strings.Replace(t.PkgPath(), "k8s.io/", "io.k8s.", 1)
	return strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

func scalar(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32, reflect.Uint32:
		return "int32"
	case reflect.Int64, reflect.Int:
		return "int64"
	case reflect.Float64:
		return "double"
	}
	panic(fmt.Sprintf("no scalar: %v", t))
}

// The type of a field, and whether it is a list or a map.
func typeOf(t reflect.Type) (string, string) {
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes", ""
		}
		// A named list type is a message of its own on the wire: extra values of a user, for one.
		inner, of := typeOf(t.Elem())
		if of != "" {
			panic(fmt.Sprintf("list of %s: %v", of, t))
		}
		return inner, "list"
	case reflect.Map:
		if t.Elem().Kind() == reflect.Slice && t.Elem().Elem().Kind() == reflect.String {
			return "strings", "map"
		}
		inner, _ := typeOf(t.Elem())
		return inner, "map"
	case reflect.Struct:
		visit(t)
		return nameOf(t), ""
	}
	return scalar(t), ""
}

func swaggerDoc(t reflect.Type) map[string]string {
	method := reflect.New(t).MethodByName("SwaggerDoc")
	if !method.IsValid() {
		return nil
	}
	return method.Call(nil)[0].Interface().(map[string]string)
}

func visit(t reflect.Type) {
	name := nameOf(t)
	if _, known := types[name]; known {
		return
	}
	doc := swaggerDoc(t)
	types[name] = description{Doc: doc[""]}
	if special[name] {
		return
	}
	types[name] = description{Doc: doc[""], Fields: fieldsOf(t, doc)}
}

func fieldsOf(t reflect.Type, doc map[string]string) []field {
	var fields []field
	for i := range t.NumField() {
		member := t.Field(i)
		tag := strings.Split(member.Tag.Get("json"), ",")
		proto := strings.Split(member.Tag.Get("protobuf"), ",")
		if member.Type == reflect.TypeFor[meta.TypeMeta]() {
			continue
		}
		if len(proto) < 2 || tag[0] == "" {
			if member.Anonymous {
				// Kubernetes' messages hold an embedded struct as a field; JSON shows its fields one level higher.
				inner, _ := typeOf(member.Type)
				number := 0
				if len(proto) >= 2 {
					number, _ = strconv.Atoi(proto[1])
				}
				fields = append(fields, field{Name: "", Number: number, Type: inner})
				continue
			}
			if tag[0] == "-" {
				continue
			}
			panic(fmt.Sprintf("%v.%s has no protobuf tag", t, member.Name))
		}
		if tag[0] == "-" {
			continue
		}
		number, err := strconv.Atoi(proto[1])
		if err != nil {
			panic(err)
		}
		omitempty := slices.Contains(tag[1:], "omitempty")
		inner, of := typeOf(member.Type)
		fields = append(fields, field{
			Name: tag[0], Number: number, Type: inner, Of: of,
			Required:  !omitempty && member.Type.Kind() != reflect.Pointer,
			OmitsZero: omitempty && member.Type.Kind() != reflect.Pointer,
			Doc:       doc[tag[0]],
		})
	}
	return fields
}

func encoded(value any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// One line a field, so that a new version of Kubernetes can be read as a difference.
func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var kinds []string
	for _, root := range roots {
		for _, kind := range root.kinds {
			t := reflect.TypeOf(kind)
			visit(t)
			kinds = append(kinds, encoded(root.groupVersion+"/"+t.Name())+": "+encoded(nameOf(t)))
		}
	}
	names := []string{}
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprint(out, "{\n\"kinds\": {\n"+strings.Join(kinds, ",\n")+"\n},\n\"types\": {\n")
	for i, name := range names {
		fmt.Fprintf(out, "%s: {\"doc\": %s, \"fields\": [", encoded(name), encoded(types[name].Doc))
		for j, one := range types[name].Fields {
			if j > 0 {
				fmt.Fprint(out, ",")
			}
			fmt.Fprint(out, "\n"+encoded(one))
		}
		fmt.Fprint(out, "]}")
		if i < len(names)-1 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprint(out, "\n")
	}
	fmt.Fprint(out, "}\n}\n")
}
