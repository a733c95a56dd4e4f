{{- /* A Deployment and what belongs to it. root; of; port; user (of Redis, where it has one); own (values of the service); scaled (by an autoscaler); kubeconfig (Secret, where it has clusters); pages (port of the console's pages); tls (Secret); inside (it has no HTTP for others) */ -}}
{{- define "flotilla.service" -}}
{{ include "flotilla.deployment" . }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "flotilla.name" . }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    app.kubernetes.io/name: {{ .of }}
    {{- include "flotilla.labels" .root | nindent 4 }}
spec:
  selector:
    {{- include "flotilla.selector" . | nindent 4 }}
  ports:
    {{- with .pages }}
    - { name: pages, port: {{ . }}, targetPort: pages }
    {{- end }}
    {{- if not .inside }}
    - { name: http, port: {{ .port }}, targetPort: http }
    {{- end }}
    - { name: metrics, port: 9090, targetPort: metrics }
{{- if not .own.serviceAccountName }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "flotilla.metadata" . | nindent 2 }}
  {{- with .own.serviceAccountAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- if and .kubeconfig (not .root.Values.selfManaged) }}
---
{{ include "flotilla.logins" . }}
{{- end }}
{{- /* With one pod a budget would hold every drain of a node for ever. */ -}}
{{- if and .root.Values.disruptionBudgets (or .scaled (gt (int .own.replicas) 1)) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "flotilla.metadata" . | nindent 2 }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
      {{- include "flotilla.selector" . | nindent 6 }}
{{- end }}
{{- end }}

{{- define "flotilla.deployment" -}}
{{- $values := .root.Values -}}
{{- $scheme := and .tls $values.httpTls.enabled | empty | ternary "" ", scheme: HTTPS" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "flotilla.name" . }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    app.kubernetes.io/name: {{ .of }}
    {{- include "flotilla.labels" .root | nindent 4 }}
spec:
  {{- if not .scaled }}
  replicas: {{ .own.replicas }}
  {{- end }}
  {{- if dig "existingClaim" "" (.own.persistence | default dict) }}
  # Two pods must not use one claim.
  strategy:
    type: Recreate
  {{- end }}
  selector:
    matchLabels:
      {{- include "flotilla.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "flotilla.podLabels" . | nindent 8 }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9090"
        {{- if and .tls $values.httpTls.enabled }}
        prometheus.io/scheme: https
        {{- end }}
        {{- with $values.settings }}
        # Settings are read at the start alone.
        flotilla.dev/settings: {{ toJson . | sha256sum }}
        {{- end }}
        {{- with .own.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "flotilla.account" . }}
      automountServiceAccountToken: {{ or (not (not .kubeconfig)) (has .of (list "fleet-controller" "notifier")) }}
      enableServiceLinks: false
      {{- with $values.image.pullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- include "flotilla.placement" . | nindent 6 }}
      topologySpreadConstraints:
        {{- include "flotilla.spread" . | nindent 8 }}
      # Longer than FLOTILLA_SHUTDOWN_TIMEOUT, in which the work that has begun is finished.
      terminationGracePeriodSeconds: 30
      securityContext:
        {{- include "flotilla.podSecurity" . | nindent 8 }}
      containers:
        - name: {{ .of }}
          image: {{ include "flotilla.image" .root }}
          {{- with $values.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args: [dist/programs/{{ .of }}.js]
          env:
            {{- include "flotilla.env" . | trim | nindent 12 }}
          envFrom:
            - configMapRef: { name: {{ include "flotilla.name" (dict "root" .root "of" "flotilla-settings") }}, optional: true }
            {{- with .own.envFrom }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            {{- with .pages }}
            - { name: pages, containerPort: {{ . }} }
            {{- end }}
            - { name: http, containerPort: {{ .port }} }
            - { name: metrics, containerPort: 9090 }
          startupProbe:
            httpGet: { path: /livez, port: http{{ $scheme }} }
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /livez, port: http{{ $scheme }} }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: http{{ $scheme }} }
            periodSeconds: 5
            timeoutSeconds: 5
          resources: {{- toYaml .own.resources | nindent 12 }}
          securityContext:
            {{- include "flotilla.containerSecurity" . | nindent 12 }}
          volumeMounts:
            {{- include "flotilla.volumeMounts" . | trim | nindent 12 }}
      volumes:
        {{- include "flotilla.volumes" . | trim | nindent 8 }}
{{- end }}

{{- /* For the logins that the service renews: the Secret of its own kubeconfig alone. */ -}}
{{- define "flotilla.logins" -}}
{{- $logins := dict "root" .root "of" (printf "%s-logins" .of) -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "flotilla.metadata" $logins | nindent 2 }}
rules:
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [{{ .kubeconfig }}]
    verbs: [get, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "flotilla.metadata" $logins | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ include "flotilla.name" $logins }}
subjects:
  - kind: ServiceAccount
    name: {{ include "flotilla.account" . }}
    namespace: {{ .root.Release.Namespace | quote }}
{{- end }}

{{- /* What a service without clusters reaches: Redis and names. */ -}}
{{- define "flotilla.egress" -}}
{{- if .Values.redis.enabled }}
- to:
    - podSelector:
        matchLabels:
          {{- include "flotilla.selector" (dict "root" . "of" "redis") | nindent 10 }}
  ports:
    - { port: 6379 }
{{- else }}
- to:
    {{- range .Values.redis.addresses }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  ports:
    {{- range .Values.redis.ports }}
    - { port: {{ . }} }
    {{- end }}
{{- end }}
# Names; OpenShift's servers of them listen on 5353.
- to:
    - namespaceSelector: {}
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
    - { port: 5353, protocol: UDP }
    - { port: 5353, protocol: TCP }
{{- end }}
