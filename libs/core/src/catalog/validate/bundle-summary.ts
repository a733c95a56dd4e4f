import { parseVersion } from '../../kernel/versions/blang-version.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Version } from '../../kernel/versions/version.js';
import type { CatalogBundle } from '../model/catalog.js';
import { detached } from '../read/blob-consumer.js';
import { type PackageProperty, parseProperties } from './bundle-properties.js';
import { type CatalogProblem, fatal } from './catalog-problem.js';
import { imageReferenceProblem } from './image-reference.js';
import { releaseProblem } from './release.js';

/** Facts of a bundle that validation needs. It keeps no reference to the blob. */
export type BundleSummary = Readonly<{
  name: string;
  package: string;
  version: Version;
  release: string;
  /** True if it has neither an image nor manifests. */
  emptyHanded: boolean;
}>;

/**
 * A bundle's summary, or the first thing wrong with the blob by itself
 * (spec: file-based-catalogs.md §3.1, rules 11 to 16).
 */
export type SummarizedBundle = BundleSummary | Readonly<{ name: string; package: string; problem: CatalogProblem }>;

/** Checks a bundle blob by itself; the model checks how it fits into its package. */
export function summarizeBundle(blob: CatalogBundle): SummarizedBundle {
  const said = packagePropertyOf(blob);
  const names = detached({ name: blob.name, package: blob.package });
  if ('finding' in said) return { ...names, problem: said };
  const problem = imageProblem(blob);
  if (problem) return { ...names, problem };
  const { version: text, release } = detached(said);
  const version = parseVersion(text);
  if ('error' in version) return { ...names, problem: versionProblem(blob, text, version.error) };
  const wrongRelease = release === '' ? undefined : releaseProblem(release);
  if (wrongRelease !== undefined) return { ...names, problem: wrongReleaseProblem(blob, release, wrongRelease) };
  return { ...names, version, release, emptyHanded: isEmptyHanded(blob) };
}

const isEmptyHanded = ({ image, properties }: CatalogBundle): boolean =>
  image === '' && !properties.some(({ type }) => type === 'olm.bundle.object');

/** Returns the one `olm.package` property, or the reason why none can be used. */
function packagePropertyOf(blob: CatalogBundle): PackageProperty | CatalogProblem {
  const name = goQuote(blob.name);
  const ofPackage = goQuote(blob.package);
  const properties = parseProperties(blob.properties);
  if ('error' in properties) {
    return fatal(`parse properties for bundle ${name}: ${properties.error}`, propertyAdvice(blob));
  }
  const [said] = properties.packages;
  if (said === undefined || properties.packages.length !== 1) {
    return fatal(
      `package ${ofPackage} bundle ${name} must have exactly 1 "olm.package" property, found ${properties.packages.length}`,
      'a bundle needs {type: olm.package, value: {packageName: <package>, version: <version>}} once in "properties"',
    );
  }
  if (said.packageName === blob.package) return said;
  return fatal(
    `package ${ofPackage} does not match "olm.package" property ${goQuote(said.packageName)}`,
    'the "package" of the bundle and "packageName" in its olm.package property must be the same',
  );
}

/** Templates and old documents wrap each property once more; the loader then sees a property without type. */
const propertyAdvice = ({ properties }: CatalogBundle): string =>
  properties.some(({ type }) => type === '')
    ? 'each item of "properties" is {type: <type>, value: <value>}, without another level such as "property:" around it'
    : 'correct the value of that property';

function imageProblem({ package: owner, name, image, relatedImages }: CatalogBundle): CatalogProblem | undefined {
  const places = [
    { image, where: 'image' },
    ...relatedImages.map((one, index) => ({ image: one.image, where: `relatedImages[${index}].image` })),
  ];
  for (const { image: reference, where } of places) {
    const why = reference === '' ? undefined : imageReferenceProblem(reference);
    if (why === undefined) continue;
    return fatal(
      `package ${goQuote(owner)} bundle ${goQuote(name)} ${where}: invalid image pull spec ${goQuote(reference)}: ${why}`,
      'write <host>/<path>:<tag> or <host>/<path>@sha256:<64 hex digits>, the path in lower case',
    );
  }
  return undefined;
}

const versionProblem = ({ name }: CatalogBundle, version: string, why: string): CatalogProblem =>
  fatal(
    `error parsing bundle ${goQuote(name)} version ${goQuote(version)}: ${why}`,
    'versions are <major>.<minor>.<patch>, without a leading "v"',
  );

const wrongReleaseProblem = ({ name }: CatalogBundle, release: string, why: string): CatalogProblem =>
  fatal(
    `error parsing bundle ${goQuote(name)} release version ${goQuote(release)}: ${why}`,
    'a release is letters, digits and "-" in segments between dots, at most 20 characters',
  );
