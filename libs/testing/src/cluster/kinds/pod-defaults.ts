import { isObject, type JsonObject, objectAt } from '../objects/json.js';

const mapped = (list: unknown, each: (item: JsonObject) => JsonObject): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? each(item) : item)) : list;

/** Leaves out undefined fields: defaults of missing values. */
function defined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

function probe(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { initialDelaySeconds, ...rest } = value;
  const delay = initialDelaySeconds ? { initialDelaySeconds } : {};
  const httpGet = objectAt(value, 'httpGet');
  const http = httpGet === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...httpGet } };
  return { ...PROBE, ...rest, ...delay, ...http };
}

function envVar(value: JsonObject): JsonObject {
  const fieldRef = objectAt(value, 'valueFrom', 'fieldRef');
  if (fieldRef === undefined) return value;
  return { ...value, valueFrom: { ...objectAt(value, 'valueFrom'), fieldRef: { apiVersion: 'v1', ...fieldRef } } };
}

/** `latest`, or no tag and no digest at all, is pulled always. */
function pullPolicy(image: unknown): string {
  const text = typeof image === 'string' ? image : '';
  const last = text.split('/').at(-1) ?? '';
  const floating = !text.includes('@') && (!last.includes(':') || last.endsWith(':latest'));
  return floating ? 'Always' : 'IfNotPresent';
}

function container(value: JsonObject): JsonObject {
  return defined({
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(value.image),
    resources: {},
    ...value,
    ports: mapped(value.ports, (port) => ({ protocol: 'TCP', ...port })),
    env: mapped(value.env, envVar),
    livenessProbe: probe(value.livenessProbe),
    readinessProbe: probe(value.readinessProbe),
    startupProbe: probe(value.startupProbe),
  });
}

const MODES: readonly string[] = ['configMap', 'secret', 'downwardAPI', 'projected'];

function volume(value: JsonObject): JsonObject {
  const kind = MODES.find((name) => isObject(value[name]));
  return kind === undefined ? value : { ...value, [kind]: { defaultMode: 420, ...objectAt(value, kind) } };
}

/** A pod's spec with the API server's defaults. */
export function podSpecDefaults(spec: JsonObject): JsonObject {
  return defined({
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    serviceAccount: spec.serviceAccountName,
    ...spec,
    containers: mapped(spec.containers, container),
    initContainers: mapped(spec.initContainers, container),
    volumes: mapped(spec.volumes, volume),
  });
}

/** The defaults of a spec that holds a pod template. */
export function templateDefaults(spec: JsonObject): JsonObject {
  const template = objectAt(spec, 'template');
  const podSpec = objectAt(template, 'spec');
  if (template === undefined || podSpec === undefined) return spec;
  return { ...spec, template: { ...template, metadata: template.metadata ?? {}, spec: podSpecDefaults(podSpec) } };
}
