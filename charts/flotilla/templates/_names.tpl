{{- /* Ends where values lack what the templates read: --reuse-values keeps the defaults of the old chart. Nothing otherwise. */ -}}
{{- define "flotilla.complete" -}}
{{- $missing := list }}
{{- range list "fleet" "httpTls" "notifier" "tracing" }}
{{- if kindIs "invalid" (index $.Values .) }}{{ $missing = append $missing . }}{{ end }}
{{- end }}
{{- if $missing }}
{{- fail (printf "values are missing that this chart has: %s. After --reuse-values of an older chart upgrade with --reset-then-reuse-values" (join ", " $missing)) }}
{{- end }}
{{- end }}

{{- /* "plain" if objects have the names of chart 0.2.0, without the release's: asked for, or found at an upgrade. Else empty. */ -}}
{{- define "flotilla.plain" -}}
{{- if not (hasKey .Values "namesFound") }}
{{- $asked := kindIs "invalid" .Values.plainNames | ternary "auto" .Values.plainNames | toString }}
{{- $found := "" }}
{{- if and (eq $asked "auto") .Release.IsUpgrade }}
{{- $poller := lookup "apps/v1" "Deployment" .Release.Namespace "catalog-poller" }}
{{- $found = dig "metadata" "annotations" "meta.helm.sh/release-name" "" $poller }}
{{- end }}
{{- $_ := set .Values "namesFound" (or (eq $asked "true") (eq $found .Release.Name) | ternary "plain" "") }}
{{- end }}
{{- .Values.namesFound }}
{{- end }}

{{- /* At most 46 characters: the longest name of a Service, with "-fleet-controller", has 63. A Service takes no dot and begins with a letter. */ -}}
{{- define "flotilla.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- $release := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- $whole := default $release .Values.fullnameOverride | replace "." "-" }}
{{- $whole = regexMatch "^[a-z]" $whole | ternary $whole (printf "r-%s" $whole) }}
{{- gt (len $whole) 46 | ternary (printf "%s-%s" ($whole | trunc 37 | trimSuffix "-") ($whole | sha256sum | trunc 8)) $whole }}
{{- end }}

{{- /* The name of an object: root; of */ -}}
{{- define "flotilla.name" -}}
{{- if include "flotilla.plain" .root }}{{ .of }}{{ else }}{{ include "flotilla.fullname" .root }}-{{ trimPrefix "flotilla-" .of }}{{ end }}
{{- end }}

{{- /* The name of an object without a namespace: root; of */ -}}
{{- define "flotilla.clusterName" -}}
{{- if include "flotilla.plain" .root }}flotilla:{{ .of }}{{ else }}flotilla:{{ .root.Release.Namespace }}:{{ include "flotilla.fullname" .root }}:{{ .of }}{{ end }}
{{- end }}

{{- /* The account of a service, made by the chart unless there is one of yours: root; of; own */ -}}
{{- define "flotilla.account" -}}
{{- default (include "flotilla.name" .) .own.serviceAccountName }}
{{- end }}

{{- define "flotilla.labels" -}}
{{- $labels := dict "app.kubernetes.io/part-of" "flotilla" "app.kubernetes.io/managed-by" .Release.Service }}
{{- $_ := set $labels "app.kubernetes.io/instance" .Release.Name }}
{{- $_ := set $labels "app.kubernetes.io/version" .Chart.AppVersion }}
{{- $_ := set $labels "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") }}
{{- merge $labels (omit (.Values.commonLabels | default dict) "app.kubernetes.io/name") | toYaml }}
{{- end }}

{{- /* Labels by which the pods of a service are found: root; of */ -}}
{{- define "flotilla.selector" -}}
app.kubernetes.io/name: {{ .of }}
{{- include "flotilla.ofRelease" .root }}
{{- end }}

{{- /* The label of this release's pods alone, on a line of its own; chart 0.2.0 had none. */ -}}
{{- define "flotilla.ofRelease" -}}
{{- if not (include "flotilla.plain" .) }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
{{- end }}

{{- /* Selects the pods of several services: root; names */ -}}
{{- define "flotilla.pods" -}}
{{- if not (include "flotilla.plain" .root) }}
matchLabels:
  {{- include "flotilla.ofRelease" .root | nindent 2 }}
{{- end }}
matchExpressions:
  - key: app.kubernetes.io/name
    operator: In
    values: {{ toJson .names }}
{{- end }}

{{- /* Head of an object in the namespace of the release: root; of */ -}}
{{- define "flotilla.metadata" -}}
name: {{ include "flotilla.name" . }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "flotilla.labels" .root | nindent 2 }}
{{- end }}

{{- define "flotilla.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ include "flotilla.text" .tag }}{{ end }}
{{- end }}
{{- end }}

{{- /* A value as its user wrote it: Helm reads whole numbers of files as fractions, which it would print as 1e+06. */ -}}
{{- define "flotilla.text" -}}
{{- $whole := and (kindIs "float64" .) (eq (floor .) (float64 .)) }}
{{- $whole | ternary (int64 .) . | toString }}
{{- end }}

{{- /* Labels of the series of this release alone, as its monitors and scrapes with labels of pods give them. */ -}}
{{- define "flotilla.series" -}}
{{- $found := dict "namespace" .Release.Namespace }}
{{- if not (include "flotilla.plain" .) }}{{ $_ := set $found "app_kubernetes_io_instance" .Release.Name }}{{ end }}
{{- default $found .Values.resolver.autoscaling.labels | toYaml }}
{{- end }}
