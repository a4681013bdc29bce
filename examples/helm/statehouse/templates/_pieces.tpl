{{- define "statehouse.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "statehouse.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "statehouse.labels" -}}
{{ include "statehouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "statehouse.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* As the profile "restricted" of Pod Security wants it. The image names its user; Kubernetes needs the number. */}}
{{- define "statehouse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "statehouse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "statehouse.commonEnv" -}}
- name: STATEHOUSE_ISSUER
  value: {{ .Values.issuer | quote }}
- name: STATEHOUSE_SECRET_FILE
  value: /run/secrets/statehouse/{{ .Values.secret.rootSecretKey }}
{{- with .Values.databaseAuthorityKey }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/secrets/statehouse/{{ . }}
{{- end }}
{{- end }}
