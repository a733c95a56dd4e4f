import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Version } from '../../kernel/versions/version.js';
import type { Catalog, CatalogChannel } from '../model/catalog.js';
import { bundleVersions } from './bundle-versions.js';
import { type Deprecated, deprecatedNames } from './deprecated-names.js';
import { type DrawnChannel, drawMermaidChannel } from './mermaid-channel.js';
import { aboveMinimumEdge, type MinimumEdge } from './minimum-edge.js';

/** The part of a catalog to draw, and the form. */
export type MermaidOptions = Readonly<{
  /** Only this package. */
  package?: string;
  /** Name of the oldest bundle to draw. */
  minimumEdge?: string;
  /**
   * Mark skipped entries, and in red the edges that OLM Classic never follows because their entry is skipped.
   */
  v0Semantics?: boolean;
}>;

/** The drawing with opm's warnings, or why there can be none, in opm's words. */
export type MermaidGraph = Readonly<{ text: string; warnings: readonly string[] }> | Readonly<{ error: string }>;

const HEADER = [
  'graph LR',
  '  classDef deprecated fill:#E8960F',
  '  classDef skipped stroke:#FF0000,stroke-width:4px',
  '  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px',
];

/**
 * Writes the upgrade graph as Mermaid text, byte for byte as `opm alpha render-graph` does (spec:
 * file-based-catalogs.md §7). The catalog need not be valid, but every bundle needs exactly one readable
 * version.
 */
export function mermaidGraph(catalog: Catalog, options: MermaidOptions = {}): MermaidGraph {
  const parsed = bundleVersions(catalog.bundles);
  if ('error' in parsed) return parsed;
  const { versions } = parsed;
  const sorted = catalog.channels.toSorted((a, b) => byCodeUnit(a.name, b.name));
  const minimum = minimumEdge(options.minimumEdge ?? '', sorted, versions);
  if (minimum !== undefined && 'error' in minimum) return minimum;
  const deprecated = deprecatedNames(catalog.deprecations);
  const drawn: DrawnChannel[] = [];
  let linkId = 0;
  for (const channel of shownChannels(sorted, options.package ?? '', minimum, versions)) {
    const one = drawMermaidChannel(channel, {
      versions,
      deprecated,
      linkId,
      v0Semantics: options.v0Semantics ?? false,
    });
    linkId += one.links;
    drawn.push(one);
  }
  const lines = [...HEADER, ...packageLines(drawn), ...styleLines(drawn, deprecated)];
  return { text: lines.map((line) => `${line}\n`).join(''), warnings: drawn.flatMap(({ warnings }) => warnings) };
}

function minimumEdge(
  name: string,
  channels: readonly CatalogChannel[],
  versions: ReadonlyMap<string, Version>,
): MinimumEdge | Readonly<{ error: string }> | undefined {
  if (name === '') return undefined;
  const version = versions.get(name);
  if (version === undefined) return { error: `unknown minimum edge name: ${goQuote(name)}` };
  const channel = channels.find(({ entries }) => entries?.some((entry) => entry.name === name));
  return { name, version, package: channel?.package ?? '' };
}

/** Returns the channels to draw. Without any filter a channel without entries is shown too. */
function shownChannels(
  channels: readonly CatalogChannel[],
  packageName: string,
  minimum: MinimumEdge | undefined,
  versions: ReadonlyMap<string, Version>,
): CatalogChannel[] {
  const ofPackage =
    packageName === ''
      ? channels
      : channels.filter(({ package: owner, entries }) => owner === packageName && entries?.length);
  if (minimum === undefined) return [...ofPackage];
  return ofPackage.flatMap((channel) => aboveMinimumEdge(channel, minimum, versions) ?? []);
}

function packageLines(drawn: readonly DrawnChannel[]): string[] {
  const byPackage = Map.groupBy(drawn, (channel) => channel.package);
  return [...byPackage]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([name, channels]) => [
      `  %% package ${goQuote(name)}`,
      `  subgraph ${goQuote(name)}`,
      ...channels.flatMap(({ lines }) => lines),
      '  end',
    ]);
}

/** Writes the styles. opm colours one deprecated package only, the last it comes across. */
function styleLines(drawn: readonly DrawnChannel[], deprecated: Deprecated): string[] {
  const lastPackage = drawn.findLast((channel) => deprecated.packages.has(channel.package));
  const classes = (['deprecated', 'deprecatedskipped', 'skipped'] as const).flatMap((name) => {
    const nodes = drawn.flatMap((channel) => channel.classes[name]).sort(byCodeUnit);
    return nodes.length === 0 ? [] : `class ${nodes.join(',')} ${name}`;
  });
  const redLinks = drawn.flatMap((channel) => channel.redLinks);
  return [
    ...(lastPackage === undefined ? [] : [`style ${lastPackage.package} fill:#989695`]),
    ...drawn.filter(({ name }) => deprecated.channels.has(name)).map(({ id }) => `style ${id} fill:#DCD0FF`),
    ...classes,
    ...(redLinks.length === 0
      ? []
      : [`linkStyle ${redLinks.join(',')} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;`]),
  ];
}
