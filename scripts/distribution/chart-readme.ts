import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';

/** Value of the chart: its path, its default as YAML in one line, and the text above it. */
type Value = Readonly<{ path: readonly string[]; fallback: string; text: string }>;

const INTRO = `# Chart of Flotilla

Made from \`values.yaml\` by \`node dist/scripts/write-settings-page.js\`. Steps of an install: \`docs/install-kubernetes.md\`.

\`\`\`sh
helm upgrade --install hub charts/flotilla --namespace flotilla --set image.repository=registry.example/flotilla,image.tag=1
helm test hub --namespace flotilla
\`\`\`

The chart makes no Secret and no namespace. Pods wait in \`ContainerCreating\` for a Secret that is missing.

## Names, and two releases in one namespace

Every name begins with \`RELEASE-flotilla\`, or with \`RELEASE\` if that has the word in it. Two hubs manage different clusters, so the second
release needs Secrets of its own: all values of \`secrets\`, and \`redis.urlSecret\` for a Redis of your own.

A hub API has one fleet controller: give \`fleet.enabled\` to one release. \`fleet.kinds\` too: Helm refuses a kind of another release.

Autoscaling counts the jobs of its own release, by the labels \`namespace\` and \`app_kubernetes_io_instance\` of the series. The monitors of the
chart give both. Where your Prometheus has others, name them in \`resolver.autoscaling.labels\`.

## Upgrade from chart 0.2.0

Objects of chart 0.2.0 have no release in their names. \`plainNames: auto\` finds the Deployment \`catalog-poller\` of the release and keeps all
names, so that key, logins, identity, accounts, volumes and Redis stay. \`helm template\` and Argo CD cannot ask the cluster: set
\`plainNames: true\` there.

Upgrade with \`--reset-then-reuse-values\` (Helm 3.14 and later), which keeps your values. \`--reuse-values\` keeps the defaults of the old
chart, too, and is refused.

\`plainNames: false\` gives an old release new names. The old Redis goes, and the new hub waits until it is sure that the old one has ended, at
most 15 minutes. Before that, move to the new names: the subjects of trust that clouds have in accounts (\`system:serviceaccount:NAMESPACE:NAME\`),
the names in certificates of \`httpTls\`, and your ConfigMap \`flotilla-settings\`, if you made one.

With \`console.externalUrl\` empty the address follows \`console.ingress\` and \`console.httpRoute\`. Values have types: write \`true\`, and not \`"true"\`.

## Values
`;

/** Returns the README of the chart for the text of its `values.yaml`. */
export function chartReadme(valuesText: string): string {
  const document = parseDocument(valuesText);
  if (!isMap(document.contents)) throw new Error('values.yaml: no map');
  const top = pairsOf(document.contents).map(({ key, value, comment }) => ({
    key,
    text: comment,
    values: isMap(value) && value.items.length > 0 ? valuesOf(value, [key]) : undefined,
    fallback: inOneLine(value),
  }));
  const { values: ofPods = [] } = top.find(({ key }) => key === EXPLAINED) ?? {};
  const known = new Map(ofPods.map(({ path, text }) => [path.slice(1).join('.'), text]));
  const single = top.flatMap(({ key, text, values, fallback }) =>
    values === undefined ? [{ path: [key], fallback, text }] : [],
  );
  const sections = top.flatMap(({ key, text, values }) =>
    values === undefined
      ? []
      : [`\n### ${key}\n\n${text === '' ? '' : `${text}\n\n`}${tableOf(values, OF_PODS.has(key) ? known : new Map())}`],
  );
  return `${INTRO}\n${tableOf(single, new Map())}${sections.join('')}`;
}

/** The section that explains the fields of pods, for the other sections too. */
const EXPLAINED = 'poller';
const OF_PODS = new Set(['poller', 'resolver', 'applier', 'fleet', 'notifier', 'console', 'redis']);

function tableOf(values: readonly Value[], known: ReadonlyMap<string, string>): string {
  const rows = values.map(
    ({ path, fallback, text }) =>
      `| \`${path.join('.')}\` | \`${fallback}\` | ${(text || known.get(path.slice(1).join('.')) || '').replaceAll('|', '\\|')} |\n`,
  );
  return `| value | default | meaning |\n|---|---|---|\n${rows.join('')}`;
}

/** Maps that users see as one value. */
const WHOLE = new Set(['resources']);

function valuesOf(map: YAMLMap, path: readonly string[]): readonly Value[] {
  return pairsOf(map).flatMap(({ key, value, comment }) =>
    isMap(value) && value.items.length > 0 && !WHOLE.has(key)
      ? valuesOf(value, [...path, key])
      : [{ path: [...path, key], fallback: inOneLine(value), text: comment }],
  );
}

type Found = Readonly<{ key: string; value: unknown; comment: string }>;

/** Keys of a map with the comment above each. The comment above the first key belongs to the map. */
function pairsOf(map: YAMLMap): readonly Found[] {
  return map.items.map((pair: Pair, index) => {
    const key = isScalar(pair.key) ? pair.key : undefined;
    const comment = key?.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    return { key: String(key?.value), value: pair.value, comment: plain(comment) };
  });
}

/** The last paragraph of a comment, as one line. */
const plain = (comment: string): string => (comment.split(/\n\s*\n/).at(-1) ?? '').replaceAll(/\s*\n\s*/g, ' ').trim();

function inOneLine(value: unknown): string {
  const json = isScalar(value) || isMap(value) ? value.toJSON() : Object(value).toJSON();
  return JSON.stringify(json);
}
