import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { crdText, listed } from '../../../output/change-lines.js';
import { type Columns, table } from '../../../output/table.js';
import type { CatalogImpact } from './catalog-impact.js';

/** Equal impacts on several Subscriptions. */
type ImpactClass = Readonly<{ impact: CatalogImpact; clusters: number; namespaces: number; sample: string }>;

const ORDER = ['breaks', 'held', 'upgrades', 'stays', 'unchanged'];

const placeOf = ({ extension, namespace, cluster }: CatalogImpact): string =>
  `${extension === '' ? namespace : `ClusterExtension ${extension}`} of ${cluster}`;

/** Returns classes of equal impacts: those that break first, then those on most Subscriptions. */
function classesOf(impacts: readonly CatalogImpact[]): ImpactClass[] {
  const groups = Map.groupBy(impacts, (one) =>
    JSON.stringify([one.extension === '', one.effect, one.package, one.channel, one.from, one.hops, one.message]),
  );
  return [...groups.values()]
    .flatMap((own) => {
      const [impact] = own;
      if (impact === undefined) return [];
      const clusters = new Set(own.map(({ cluster }) => cluster)).size;
      return [{ impact, clusters, namespaces: own.length, sample: placeOf(impact) }];
    })
    .sort(
      (a, b) =>
        ORDER.indexOf(a.impact.effect) - ORDER.indexOf(b.impact.effect) ||
        b.namespaces - a.namespaces ||
        byCodeUnit(a.impact.package + a.impact.from, b.impact.package + b.impact.from),
    );
}

const COLUMNS: Columns<ImpactClass> = [
  ['EFFECT', ({ impact }) => impact.effect],
  ['PACKAGE', ({ impact }) => impact.package],
  ['CHANNEL', ({ impact }) => impact.channel],
  ['FROM', ({ impact }) => impact.from || '-'],
  ['TO', ({ impact }) => impact.to || '-'],
  ['HOPS', ({ impact }) => String(impact.hops.length)],
  ['CHANGES', ({ impact }) => impact.content?.changes.join(', ') || '-'],
  ['CLUSTERS', ({ clusters }) => String(clusters)],
  ['NAMESPACES', ({ namespaces }) => String(namespaces)],
];

/**
 * Describes the effect of a catalog for people. It has a row for equal impacts, the causes of breaks and
 * early ends, and the changes of upgrades.
 */
export function impactText(impacts: readonly CatalogImpact[], width: number | undefined): string {
  if (impacts.length === 0) return 'No Subscription and no ClusterExtension uses the catalog: nothing would change.\n';
  const classes = classesOf(impacts);
  const reasons = classes
    .filter(({ impact: { effect, from, message } }) => message !== '' && !(effect === 'upgrades' && from === ''))
    .map(
      (one) => `\n${one.impact.package} ${one.impact.effect} in ${placesOf(one)}:\n${indented(one.impact.message)}\n`,
    );
  const isUncompared = impacts.some(({ extension, effect }) => extension !== '' && effect === 'upgrades');
  const rows = table(classes, COLUMNS, width);
  return `${rows}${reasons.join('')}${classes.map(contentText).join('')}${isUncompared ? UNCOMPARED : ''}`;
}

const UNCOMPARED = '\nFor ClusterExtensions only versions are compared, not rights, CRDs and webhooks.\n';

const placesOf = ({ namespaces, sample }: ImpactClass): string =>
  namespaces > 1 ? `${sample} and ${namespaces - 1} more` : sample;

const indented = (text: string): string => `  ${text.replaceAll('\n', '\n  ')}`;

/** Returns the rights, CRDs and webhooks of an upgrade. Returns '' if the upgrade changes none of them. */
function contentText(one: ImpactClass): string {
  const { package: name, from, to, content, extension } = one.impact;
  if (content === null || extension !== '') return '';
  const { rights, crds, webhooks, deprecations, unread } = content;
  const lines = [
    ...listed(
      'warning',
      deprecations.map((text) => `deprecated: ${text}`),
    ),
    ...listed('crd', crds.map(crdText)),
    ...listed('rights', [...rights.added.map((right) => `+ ${right}`), ...rights.removed.map((right) => `- ${right}`)]),
    ...listed('webhook', webhooks),
    ...listed('unread', unread === '' ? [] : [`its rights, CRDs and webhooks are not compared: ${unread}`]),
  ];
  if (lines.length === 0) return '';
  return `\n${name} ${from || 'new'} → ${to} in ${placesOf(one)}:\n${lines.join('')}`;
}
