import { base64, GoTypeError } from '../../kernel/json/go-json.js';
import { recordsAt, textAt } from '../../kernel/json/json-access.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { formatVersion, type Version } from '../../kernel/versions/version.js';
import type { Catalog, CatalogBundle, CatalogPackage } from '../model/catalog.js';
import { parseProperties } from '../validate/bundle-properties.js';
import { bundlesOf, type RenderedImages } from './rendered-images.js';
import { generateChannels, type VersionedBundle } from './semver-channels.js';
import { ARCHETYPES, type Archetype, imagesOfSemver, type SemverTemplate } from './semver-template.js';
import { TemplateError, within } from './template.error.js';

/**
 * Renders one package with its bundles and the channels generated for them (spec: file-based-catalogs.md
 * §6.2). The result is not validated. Throws {@link TemplateError}.
 */
export function renderSemverTemplate(template: SemverTemplate, rendered: RenderedImages): Catalog {
  const byImage = new Map(imagesOfSemver(template).map((image) => [image, onlyBundle(rendered, image)]));
  if (byImage.size === 0) {
    throw new TemplateError(
      'render: no bundles specified or no bundles could be rendered',
      'list bundle images under candidate, fast or stable',
    );
  }
  const { packageName, bundles } = within('render: unable to post-process bundle info: ', () =>
    versionedBundles(template, byImage),
  );
  const { channels, defaultChannel } = generateChannels(packageName, template, bundles);
  const head = channels.find(({ name }) => name === defaultChannel)?.entries?.at(-1)?.name;
  const shown = [...byImage.values()].find(({ name }) => name === head);
  return {
    packages: [packageBlob(packageName, defaultChannel, shown)],
    channels,
    bundles: [...byImage.values()],
    deprecations: [],
    others: [],
  };
}

function onlyBundle(rendered: RenderedImages, image: string): CatalogBundle {
  const bundles = bundlesOf(rendered, image);
  const [bundle] = bundles;
  if (bundle !== undefined && bundles.length === 1) return bundle;
  throw new TemplateError(`bundle reference ${goQuote(image)} resulted in ${bundles.length} bundles, expected 1`);
}

type ByArchetype = Record<Archetype, VersionedBundle[]>;

function versionedBundles(
  { images: listed }: SemverTemplate,
  byImage: ReadonlyMap<string, CatalogBundle>,
): { packageName: string; bundles: ByArchetype } {
  const bundles: ByArchetype = { candidate: [], fast: [], stable: [] };
  let packageName = '';
  for (const archetype of ARCHETYPES) {
    const images = new Map<string, string>();
    for (const image of listed[archetype]) {
      const bundle = byImage.get(image);
      if (bundle === undefined) continue;
      const { owner, version } = versionOf(bundle);
      packageName ||= owner;
      if (owner !== packageName) throw otherPackage(owner, packageName, image);
      const other = images.get(bundle.name);
      if (other !== undefined) throw listedTwice(bundle.name, archetype, [other, image]);
      images.set(bundle.name, image);
      bundles[archetype].push({ name: bundle.name, version });
    }
    checkOrder(bundles[archetype]);
  }
  return { packageName, bundles };
}

const otherPackage = (owner: string, first: string, image: string): TemplateError =>
  new TemplateError(
    `bundle ${goQuote(owner)} does not belong to this package: ${goQuote(first)}`,
    `a semver template is for one package; move ${image} to its own template`,
  );

/**
 * Returns the error about two images with CSVs of one name. They are two versions, and the author did not
 * rename one.
 */
const listedTwice = (name: string, archetype: Archetype, [first, second]: readonly [string, string]): TemplateError =>
  new TemplateError(
    `duplicate bundle name ${goQuote(name)}`,
    first === second
      ? `list ${first} once under "${archetype}"`
      : `the CSVs of ${first} and of ${second} have this name: give each version a name of its own`,
  );

function versionOf({ name, properties }: CatalogBundle): { owner: string; version: Version } {
  const parsed = parseProperties(properties);
  if ('error' in parsed) throw new TemplateError(`parse properties for bundle ${goQuote(name)}: ${parsed.error}`);
  const [said] = parsed.packages;
  if (said === undefined || parsed.packages.length > 1) {
    throw new TemplateError(
      `bundle ${goQuote(name)} has multiple "olm.package" properties, expected exactly 1`,
      `found ${parsed.packages.length}`,
    );
  }
  const version = parseVersion(said.version);
  if (!('error' in version)) return { owner: said.packageName, version };
  throw new TemplateError(
    `bundle ${goQuote(name)} has invalid version ${goQuote(said.version)}: ${version.error}`,
    'versions are <major>.<minor>.<patch>, without a leading "v"',
  );
}

/** Versions that differ in build metadata alone have no order. */
function checkOrder(bundles: readonly VersionedBundle[]): void {
  const seen = new Set<string>();
  const conflicts = bundles.flatMap(({ version }) => {
    const comparable = formatVersion({ ...version, build: [] });
    if (!seen.has(comparable)) {
      seen.add(comparable);
      return [];
    }
    const [said, other] = [formatVersion(version), comparable].map(goQuote);
    return [`bundle version ${said} cannot be compared to ${other}`];
  });
  const distinct = [...new Set(conflicts)];
  if (distinct.length === 0) return;
  const list = distinct.length === 1 ? distinct.join() : `[${distinct.join(', ')}]`;
  throw new TemplateError(
    `encountered bundle versions which differ only by build metadata, which cannot be ordered: ${list}`,
    'keep one of them, or raise the patch number',
  );
}

/**
 * Returns the package's blob. The CSV of the newest bundle in its default channel describes the package, if
 * that bundle has one.
 */
function packageBlob(name: string, defaultChannel: string, shown: CatalogBundle | undefined): CatalogPackage {
  const csv = shown?.objects.find(({ kind }) => kind === 'ClusterServiceVersion');
  const description = textAt(csv, 'spec', 'description');
  const [icon] = recordsAt(csv, 'spec', 'icon');
  const data = iconData(textAt(icon, 'base64data'));
  return {
    schema: 'olm.package',
    name,
    defaultChannel,
    ...(icon && data !== undefined && { icon: { base64data: data, mediatype: textAt(icon, 'mediatype') } }),
    ...(description !== '' && { description }),
  };
}

/** Returns the icon as it is written out: one line of base64. An unreadable one is left out. */
function iconData(text: string): string | undefined {
  try {
    return base64(text, { struct: '', path: '' })?.toString('base64');
  } catch (error) {
    if (error instanceof GoTypeError) return undefined;
    throw error;
  }
}
