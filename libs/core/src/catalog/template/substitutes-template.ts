import { listOf, struct, text } from '../../kernel/json/go-json.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Catalog } from '../model/catalog.js';
import { opmText } from '../validate/catalog-problem.js';
import { validateCatalog } from '../validate/validate-catalog.js';
import { bundlesOf, type RenderedImages } from './rendered-images.js';
import { substitute } from './substitute.js';
import { TemplateError, within } from './template.error.js';
import { catalogOf, readEntries } from './template-entries.js';
import { compareVersionReleases, type TemplateVersion, versionReleaseOf } from './version-release.js';

/** `name` is the image of the bundle that takes the place of the bundle named `base`. */
type Substitution = Readonly<{ name: string; base: string }>;

/** A catalog and the substitutions of its bundles (spec: file-based-catalogs.md §6.3). */
export type SubstitutesTemplate = Readonly<{
  type: 'substitutes';
  catalog: Catalog;
  substitutions: readonly Substitution[];
}>;

const substitution = struct('substitutes.Substitute', (field) => ({
  name: field('name', text),
  base: field('base', text),
}));

const substitutions = struct(
  'SubstitutesTemplateData',
  (field) => field('substitutions', listOf(substitution, 'substitutes.Substitute')) ?? [],
);

/** Reads a substitutes template; its entries must be a valid catalog. Throws {@link TemplateError}. */
export function parseSubstitutesTemplate(input: string): SubstitutesTemplate {
  const { entries, rest } = within('render: unable to parse template: ', () =>
    readEntries(input, 'olm.template.substitutes', substitutions),
  );
  const catalog = within('render: unable to create declarative config from entries: ', () => catalogOf(entries));
  requireValid(catalog, 'render: entries are not valid FBC: ');
  return { type: 'substitutes', catalog, substitutions: rest };
}

/** Images in the order of the substitutions. */
export const imagesOfSubstitutes = (template: SubstitutesTemplate): string[] =>
  template.substitutions.map(({ name }) => name).filter((name) => name !== '');

/** Applies the substitutions in order; the catalog must be valid after each. Throws {@link TemplateError}. */
export function renderSubstitutesTemplate(template: SubstitutesTemplate, rendered: RenderedImages): Catalog {
  const baseOf = new Map<string, string>();
  const used = new Set<string>();
  let catalog = template.catalog;
  for (const { name, base } of template.substitutions) {
    if (used.has(base)) {
      throw new TemplateError(
        `render: cannot reuse the same substitution base ${goQuote(base)}`,
        'a bundle is substituted once; to substitute the substitute, name that as base',
      );
    }
    const other = baseOf.get(name);
    if (other !== undefined) {
      throw new TemplateError(
        `render: cannot reuse the same substitution ${goQuote(name)} for different bases (${goQuote(other)} and ${goQuote(base)})`,
      );
    }
    used.add(base);
    baseOf.set(name, base);
    const current = catalog;
    catalog = within(`render: error processing substitution ${goQuote(base)} -> ${goQuote(name)}: `, () =>
      applied(current, { name, base }, rendered),
    );
  }
  return catalog;
}

function applied(catalog: Catalog, { name, base }: Substitution, rendered: RenderedImages): Catalog {
  if (name === '') throw new TemplateError('substitution name cannot be empty', 'give the image of the new bundle');
  if (base === '')
    throw new TemplateError('substitution base cannot be empty', 'give the name of the bundle to replace');
  if (name === base) throw new TemplateError('substitution name and base cannot be the same');
  const [bundle] = within(`failed to render bundle image reference ${goQuote(name)}: `, () =>
    bundlesOf(rendered, name),
  );
  if (bundle === undefined) {
    throw new TemplateError(`rendered bundle image reference ${goQuote(name)} contains no bundles`);
  }
  const replaced = catalog.bundles.find((one) => one.name === base);
  if (replaced === undefined) {
    throw new TemplateError(
      `base bundle ${goQuote(base)} does not exist in catalog`,
      'name a bundle among the entries, or the result of an earlier substitution',
    );
  }
  const [older, newer] = [ordered(versionReleaseOf(replaced), base), ordered(versionReleaseOf(bundle), name)];
  if (compareVersionReleases(older, newer) >= 0) {
    throw new TemplateError(
      `base bundle ${goQuote(base)} is not less than substitute bundle ${goQuote(name)}`,
      'the substitute needs a higher version, or the same version with a higher release',
    );
  }
  const result = substitute(catalog, base, bundle);
  requireValid(result, 'resulting config is not valid FBC: ');
  return result;
}

function ordered(value: TemplateVersion | Readonly<{ error: string }>, name: string): TemplateVersion {
  if ('error' in value) throw new TemplateError(`failed to get version of bundle ${goQuote(name)}: ${value.error}`);
  return value;
}

function requireValid(catalog: Catalog, where: string): void {
  const problem = opmText(validateCatalog(catalog));
  if (problem !== undefined) throw new TemplateError(`${where}${problem}`);
}
