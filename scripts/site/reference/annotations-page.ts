import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { code, markdownTable } from './markdown-table.js';

const KEY =
  /(?:(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*)?(?:(?:export )?const \w+ =|\b\w+:) '((?:fleet\.)?flotilla\.dev\/[a-z-]+)'/g;

/** Annotations that users set; Flotilla writes all others. */
const YOURS: ReadonlySet<string> = new Set([
  'flotilla.dev/beside-olm',
  'flotilla.dev/keep-definitions',
  'flotilla.dev/migrate-stored-versions',
  'flotilla.dev/paused',
  'flotilla.dev/refuse-foreign-installplans',
  'flotilla.dev/replace-copied-csvs',
  'flotilla.dev/resolution-isolation',
  'flotilla.dev/retry',
  'flotilla.dev/rollback-to-revision',
  'fleet.flotilla.dev/accepted-uid',
  'fleet.flotilla.dev/kubeconfig',
]);

/** Labels of namespaces that network policies of the hub admit. */
const ADMITTED: Readonly<Record<string, string>> = {
  'flotilla.dev/collects-traces': 'services of the hub may send traces to pods there',
  'flotilla.dev/opens-console': 'pods there, such as an Ingress, may open the console',
  'flotilla.dev/reads-catalogs': 'pods there may read the content of catalogs',
  'flotilla.dev/scrapes-metrics': 'pods there, such as Prometheus, may read health and metrics',
};

const docstring = (text: string): string =>
  text
    .replaceAll(/^\/\*\*|\*\/$/g, '')
    .replaceAll(/\n\s*\*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/, ours\b/, '')
    .replace(/^ ?Ours, on/, 'On')
    .replaceAll(/ \((decision|design)[^)]*\)|; decision [^)]*(?=\))/g, '')
    .trim();

/** Returns every key of ours with the text of its docstring. */
function keysOfCode(): ReadonlyMap<string, string> {
  const files = globSync('{libs,apps}/**/*.ts', { cwd: PROJECT_ROOT })
    .filter((file) => !/\.(spec|fixture)\.ts$|^libs\/testing\//.test(file))
    .sort();
  const found = files.flatMap((file) =>
    [...readFileSync(join(PROJECT_ROOT, file), 'utf8').matchAll(KEY)].map(
      ([, text = '', key = '']) => [key, docstring(text)] as const,
    ),
  );
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Keys of labels by which the manifests of the hub admit the pods of a namespace. */
function keysOfPolicies(): readonly string[] {
  const files = globSync('k8s/**/*.yaml', { cwd: PROJECT_ROOT });
  const texts = files.map((file) => readFileSync(join(PROJECT_ROOT, file), 'utf8'));
  const keys = texts.flatMap((text) => text.match(/(?<=^\s+)flotilla\.dev\/[a-z-]+(?=: "true")/gm) ?? []);
  return [...new Set(keys)].sort();
}

/** The page about annotations and labels. */
export function annotationsPage(): string {
  const keys = [...keysOfCode()];
  const rows = (isYours: boolean) =>
    markdownTable(
      ['Key', 'Meaning'],
      keys.filter(([key]) => YOURS.has(key) === isYours).map(([key, text]) => [code(key), text]),
    );
  return [
    '# Annotations and labels',
    'Every key of Flotilla on objects, made from the code that reads or writes it. What a key means does not change; OLM and others ignore them.',
    '## That you set',
    'Each is an annotation with a value of yours; without it everything is as under OLM.',
    rows(true),
    '## Labels of namespaces',
    'In the cluster of the hub. The network policies of the hub admit the pods of a namespace that has such a label with value `true`.',
    markdownTable(
      ['Key', 'Meaning'],
      keysOfPolicies().map((key) => [code(key), ADMITTED[key] ?? '']),
    ),
    '## That Flotilla writes',
    'Leave these as they are: a later pass reads them.',
    rows(false),
  ].join('\n\n');
}
