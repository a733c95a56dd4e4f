{{- /* Where pods are placed: root; of; own */ -}}
{{- define "flotilla.placement" -}}
{{- with .own.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* Over nodes and zones, unless values say otherwise: root; of; own */ -}}
{{- define "flotilla.spread" -}}
{{- if .own.topologySpreadConstraints }}
{{- toYaml .own.topologySpreadConstraints }}
{{- else }}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "flotilla.selector" $ | nindent 6 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "flotilla.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "flotilla.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Labels of pods: those they are found by, of all objects, and their own. root; of; own */ -}}
{{- define "flotilla.podLabels" -}}
{{- $found := include "flotilla.selector" . | fromYaml }}
{{- merge $found (.own.podLabels | default dict) (omit (.root.Values.commonLabels | default dict) "app.kubernetes.io/instance") | toYaml }}
{{- end }}

{{- /* Environment of a service */ -}}
{{- define "flotilla.env" -}}
{{- $values := .root.Values }}
{{- $tls := and .tls $values.httpTls.enabled }}
- name: FLOTILLA_BIND_ADDRESS
  value: 0.0.0.0
{{- if eq .of "catalog-poller" }}
- name: FLOTILLA_PEER_ADDRESS
  valueFrom:
    fieldRef: { fieldPath: status.podIP }
{{- end }}
- name: FLOTILLA_METRICS_PORT
  value: "9090"
- name: FLOTILLA_HTTP_AUTHENTICATED
  value: content,packages,health
{{- if .user }}
{{- include "flotilla.redisEnv" . }}
{{- end }}
{{- if or (has .of (list "fleet-controller" "notifier")) (and $values.fleet.enabled .kubeconfig) }}
- name: FLOTILLA_FLEET
  value: in-cluster
{{- end }}
{{- if $tls }}
- name: FLOTILLA_HTTP_TLS_CERT_FILE
  value: /etc/flotilla/tls/tls.crt
- name: FLOTILLA_HTTP_TLS_KEY_FILE
  value: /etc/flotilla/tls/tls.key
{{- if eq .of "applier" }}
# Read at the start: restart the applier when the authority changes.
- name: NODE_EXTRA_CA_CERTS
  value: /etc/flotilla/tls/ca.crt
{{- end }}
{{- end }}
{{- if $values.tracing.endpoint }}
- name: FLOTILLA_OTLP_ENDPOINT
  value: {{ $values.tracing.endpoint | quote }}
{{- end }}
{{- if .pages }}
- name: FLOTILLA_CONSOLE_KEY_FILE
  value: /etc/flotilla/console/key
- name: FLOTILLA_CONSOLE_PROOF_KEYS_FILE
  value: /etc/flotilla/console/proof-keys
- name: FLOTILLA_CONSOLE_EXTERNAL_URL
  value: {{ include "flotilla.consoleUrl" .root | quote }}
{{- end }}
{{- if .kubeconfig }}
{{- include "flotilla.clusterEnv" . }}
{{- end }}
{{- with .own.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "flotilla.redisEnv" }}
{{- $values := .root.Values }}
{{- if $values.redis.enabled }}
- name: REDIS_URL
  value: redis://{{ include "flotilla.name" (dict "root" .root "of" "redis") }}:6379
{{- end }}
- name: FLOTILLA_REDIS_URL
  valueFrom:
    secretKeyRef: { name: {{ $values.redis.urlSecret }}, key: url, optional: {{ $values.redis.enabled }} }
- name: FLOTILLA_REDIS_USER
  value: flotilla-{{ .user }}
- name: FLOTILLA_REDIS_PASSWORD_FILE
  value: /etc/flotilla/redis/password
- name: FLOTILLA_CONTENT_DIR
  value: /var/lib/flotilla/content
{{- with .own.contentMaxBytes }}
- name: FLOTILLA_CONTENT_MAX_BYTES
  value: {{ include "flotilla.text" . | quote }}
{{- end }}
{{- end }}

{{- /* Of services that reach clusters */ -}}
{{- define "flotilla.clusterEnv" }}
{{- $values := .root.Values }}
- name: FLOTILLA_CONTENT_URL
  value: {{ $values.httpTls.enabled | ternary "https" "http" }}://{{ include "flotilla.name" (dict "root" .root "of" "catalog-poller") }}:8080
{{- if not $values.selfManaged }}
- name: FLOTILLA_KUBECONFIG
  value: /etc/flotilla/kubeconfig/config
- name: FLOTILLA_KUBECONFIG_SECRET
  value: {{ .kubeconfig }}
{{- end }}
- name: FLOTILLA_HTTP_TOKENS_FILE
  value: /etc/flotilla/http/tokens
- name: FLOTILLA_HUB_KEY_FILE
  value: /etc/flotilla/hub-key/key
{{- if $values.tokenReview }}
- name: FLOTILLA_HTTP_TOKEN_REVIEW
  value: "true"
{{- end }}
{{- if $values.console.enabled }}
- name: FLOTILLA_CONSOLE_KEY_FILE
  value: /etc/flotilla/console/key
{{- end }}
{{- end }}

{{- /* The address that people give to their browser */ -}}
{{- define "flotilla.consoleUrl" -}}
{{- with .Values.console }}
{{- if .externalUrl }}{{ .externalUrl }}
{{- else if and .ingress.enabled .ingress.host }}https://{{ .ingress.host }}
{{- else if and .httpRoute.enabled .httpRoute.hostnames }}https://{{ first .httpRoute.hostnames }}
{{- else }}http://127.0.0.1:8083
{{- end }}
{{- end }}
{{- end }}

{{- define "flotilla.volumeMounts" -}}
{{- $values := .root.Values }}
{{- if .user }}
- { name: redis-password, mountPath: /etc/flotilla/redis, readOnly: true }
{{- end }}
{{- if .pages }}
- { name: console, mountPath: /etc/flotilla/console, readOnly: true }
{{- end }}
- { name: tmp, mountPath: /tmp }
{{- if .user }}
- { name: content, mountPath: /var/lib/flotilla }
{{- end }}
{{- with .own.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- if .kubeconfig }}
{{- if not $values.selfManaged }}
- { name: kubeconfig, mountPath: /etc/flotilla/kubeconfig, readOnly: true }
{{- end }}
- { name: hub-key, mountPath: /etc/flotilla/hub-key, readOnly: true }
- { name: http-tokens, mountPath: /etc/flotilla/http, readOnly: true }
{{- if $values.console.enabled }}
- { name: console, mountPath: /etc/flotilla/console, readOnly: true }
{{- end }}
{{- end }}
{{- if and .tls $values.httpTls.enabled }}
- { name: tls, mountPath: /etc/flotilla/tls, readOnly: true }
{{- end }}
{{- end }}

{{- define "flotilla.volumes" -}}
{{- $values := .root.Values }}
{{- if .user }}
- name: redis-password
  secret:
    secretName: {{ $values.secrets.redisPasswords }}
    defaultMode: 0440
    items: [{ key: {{ .user }}, path: password }]
{{- end }}
{{- if .pages }}
- name: console
  secret:
    secretName: {{ $values.secrets.console }}
    defaultMode: 0440
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- if .user }}
- name: content
  {{- include "flotilla.content" . | nindent 2 }}
{{- end }}
{{- with .own.volumes }}
{{ toYaml . }}
{{- end }}
{{- if .kubeconfig }}
{{- include "flotilla.clusterVolumes" . }}
{{- end }}
{{- if and .tls $values.httpTls.enabled }}
- name: tls
  secret: { secretName: {{ .tls }}, defaultMode: 0440 }
{{- end }}
{{- end }}

{{- /* The cache of content: a folder of the node, a claim for each pod, or a claim of yours for one pod */ -}}
{{- define "flotilla.content" -}}
{{- $size := .own.contentVolume | default "64Mi" | include "flotilla.text" | quote }}
{{- $claim := .own.persistence | default dict }}
{{- if and $claim.enabled $claim.existingClaim }}
{{- $most := ternary "autoscaling.max" "replicas" (not (not .scaled)) }}
{{- $pods := int (ternary (dig "autoscaling" "max" 0 .own) .own.replicas (not (not .scaled))) }}
{{- if gt $pods 1 }}
{{- fail (printf "%s: persistence.existingClaim is for one pod, and %s is %d: a content cache has one writer. Leave existingClaim empty for a claim for each pod" .of $most $pods) }}
{{- end }}
persistentVolumeClaim: { claimName: {{ $claim.existingClaim }} }
{{- else if $claim.enabled }}
ephemeral:
  volumeClaimTemplate:
    metadata:
      labels:
        {{- include "flotilla.selector" . | nindent 8 }}
    spec:
      accessModes: {{ toJson $claim.accessModes }}
      {{- with $claim.storageClass }}
      storageClassName: {{ . }}
      {{- end }}
      resources:
        requests: { storage: {{ $size }} }
{{- else }}
emptyDir: { sizeLimit: {{ $size }} }
{{- end }}
{{- end }}

{{- define "flotilla.clusterVolumes" }}
{{- $values := .root.Values }}
{{- if not $values.selfManaged }}
- name: kubeconfig
  secret:
    secretName: {{ .kubeconfig }}
    defaultMode: 0440
{{- end }}
- name: hub-key
  secret:
    secretName: {{ $values.secrets.hubKey }}
    defaultMode: 0440
- name: http-tokens
  secret:
    secretName: {{ $values.secrets.httpTokens }}
    optional: true
    defaultMode: 0440
{{- if $values.console.enabled }}
- name: console
  secret:
    secretName: {{ $values.secrets.console }}
    optional: true
    defaultMode: 0440
    items: [{ key: key, path: key }, { key: policy.yaml, path: policy.yaml }]
{{- end }}
{{- end }}
