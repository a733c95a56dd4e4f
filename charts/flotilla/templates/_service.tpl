{{- define "flotilla.labels" -}}
app.kubernetes.io/part-of: flotilla
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "flotilla.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag }}{{ end }}
{{- end }}
{{- end }}

{{- /* A Deployment and its Service. root; name; port; user (of Redis); own (values of the service); scaled (by an autoscaler); kubeconfig (Secret, where it has clusters); pages (port of the console's pages) */ -}}
{{- define "flotilla.service" -}}
{{- $values := .root.Values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "flotilla.labels" .root | nindent 4 }}
spec:
  {{- if not .scaled }}
  replicas: {{ .own.replicas }}
  {{- end }}
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {{ .name }}
        {{- with .own.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9090"
        {{- with $values.settings }}
        # Settings are read at the start alone.
        flotilla.dev/settings: {{ toJson . | sha256sum }}
        {{- end }}
        {{- with .own.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ .name }}
      automountServiceAccountToken: {{ not (not .kubeconfig) }}
      enableServiceLinks: false
      {{- with $values.image.pullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: {{ $.name }}
        {{- end }}
      # Longer than FLOTILLA_SHUTDOWN_TIMEOUT, in which the work that has begun is finished.
      terminationGracePeriodSeconds: 30
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: {{ .name }}
          image: {{ include "flotilla.image" .root }}
          {{- with $values.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args: [dist/programs/{{ .name }}.js]
          env:
            - name: FLOTILLA_BIND_ADDRESS
              value: 0.0.0.0
            {{- if eq .name "catalog-poller" }}
            - name: FLOTILLA_PEER_ADDRESS
              valueFrom:
                fieldRef: { fieldPath: status.podIP }
            {{- end }}
            - name: FLOTILLA_METRICS_PORT
              value: "9090"
            - name: FLOTILLA_HTTP_AUTHENTICATED
              value: content,packages,health
            {{- if $values.redis.enabled }}
            - name: REDIS_URL
              value: redis://redis:6379
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
              value: {{ . | quote }}
            {{- end }}
            {{- if .pages }}
            - name: FLOTILLA_CONSOLE_KEY_FILE
              value: /etc/flotilla/console/key
            - name: FLOTILLA_CONSOLE_PROOF_KEYS_FILE
              value: /etc/flotilla/console/proof-keys
            - name: FLOTILLA_CONSOLE_EXTERNAL_URL
              value: {{ .own.externalUrl | quote }}
            {{- end }}
            {{- if .kubeconfig }}
            - name: FLOTILLA_CONTENT_URL
              value: http://catalog-poller:8080
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
            {{- if $values.console.enabled }}
            - name: FLOTILLA_CONSOLE_KEY_FILE
              value: /etc/flotilla/console/key
            {{- end }}
            {{- end }}
            {{- with .own.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          envFrom:
            - configMapRef: { name: flotilla-settings, optional: true }
          ports:
            {{- with .pages }}
            - { name: pages, containerPort: {{ . }} }
            {{- end }}
            - { name: http, containerPort: {{ .port }} }
            - { name: metrics, containerPort: 9090 }
          startupProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
          resources: {{- toYaml .own.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          volumeMounts:
            - { name: redis-password, mountPath: /etc/flotilla/redis, readOnly: true }
            {{- if .pages }}
            - { name: console, mountPath: /etc/flotilla/console, readOnly: true }
            {{- end }}
            - { name: tmp, mountPath: /tmp }
            - { name: content, mountPath: /var/lib/flotilla }
            {{- with .own.volumeMounts }}
            {{- toYaml . | nindent 12 }}
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
      volumes:
        - name: redis-password
          secret:
            secretName: {{ $values.secrets.redisPasswords }}
            defaultMode: 0440
            items: [{ key: {{ .user }}, path: password }]
        {{- if .pages }}
        - name: console
          secret:
            secretName: {{ $values.secrets.console }}
            defaultMode: 0440
        {{- end }}
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
        - name: content
          emptyDir: { sizeLimit: {{ .own.contentVolume | default "64Mi" }} }
        {{- with .own.volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- if .kubeconfig }}
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
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "flotilla.labels" .root | nindent 4 }}
spec:
  selector:
    app.kubernetes.io/name: {{ .name }}
  ports:
    {{- with .pages }}
    - { name: pages, port: {{ . }}, targetPort: pages }
    {{- end }}
    - { name: http, port: {{ .port }}, targetPort: http }
    - { name: metrics, port: 9090, targetPort: metrics }
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "flotilla.labels" .root | nindent 4 }}
  {{- with .own.serviceAccountAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- if and .kubeconfig (not $values.selfManaged) }}
---
# For the logins that the service renews: the Secret of its own kubeconfig alone.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .name }}-logins
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "flotilla.labels" .root | nindent 4 }}
rules:
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [{{ .kubeconfig }}]
    verbs: [get, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}-logins
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "flotilla.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .name }}-logins
subjects:
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ .root.Release.Namespace }}
{{- end }}
{{- /* With one pod a budget would hold every drain of a node for ever. */ -}}
{{- if and $values.disruptionBudgets (or .scaled (gt (int .own.replicas) 1)) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "flotilla.labels" .root | nindent 4 }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
{{- end }}
{{- end }}

{{- /* What a service without clusters reaches: Redis and names. */ -}}
{{- define "flotilla.egress" -}}
{{- if .Values.redis.enabled }}
- to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: redis
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
