import { struct, text as textField } from '../../kernel/json/go-json.js';
import type { Catalog } from '../model/catalog.js';
import { type BasicTemplate, imagesOfBasic, parseBasicTemplate, renderBasicTemplate } from './basic-template.js';
import { renderSemverTemplate } from './render-semver.js';
import type { RenderedImages } from './rendered-images.js';
import { imagesOfSemver, parseSemverTemplate, type SemverTemplate } from './semver-template.js';
import {
  imagesOfSubstitutes,
  parseSubstitutesTemplate,
  renderSubstitutesTemplate,
  type SubstitutesTemplate,
} from './substitutes-template.js';
import { TemplateError, within } from './template.error.js';
import { firstDocument } from './template-document.js';

/**
 * A catalog template as read. The bundles of its images are not known yet (spec: file-based-catalogs.md §6).
 */
export type CatalogTemplate = BasicTemplate | SemverTemplate | SubstitutesTemplate;

export const TEMPLATE_TYPES = ['basic', 'semver', 'substitutes'] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

const TYPE_OF_SCHEMA: ReadonlyMap<string, TemplateType> = new Map([
  ['olm.template.basic', 'basic'],
  ['olm.semver', 'semver'],
  ['olm.template.substitutes', 'substitutes'],
]);

/** Reads a template. Without `type` its schema gives the type. Throws {@link TemplateError}. */
export function parseTemplate(text: string, type?: TemplateType): CatalogTemplate {
  const known = type ?? within('auto-detecting template type: ', () => detectType(text));
  return within(RENDERING, () => parsers[known](text));
}

const RENDERING = 'rendering template: ';

const parsers: Readonly<Record<TemplateType, (text: string) => CatalogTemplate>> = {
  basic: parseBasicTemplate,
  semver: parseSemverTemplate,
  substitutes: parseSubstitutesTemplate,
};

function detectType(text: string): TemplateType {
  const schema = schemaOf(within('decoding template input: ', () => firstDocument(text)));
  if (schema === '') {
    throw new TemplateError("template input missing required 'schema' field", `one of ${SCHEMAS}`);
  }
  const type = TYPE_OF_SCHEMA.get(schema);
  if (type === undefined) throw new TemplateError(`unknown template schema: ${schema}`, `known are ${SCHEMAS}`);
  return type;
}

const SCHEMAS = [...TYPE_OF_SCHEMA.keys()].join(', ');

function schemaOf(document: unknown): string {
  try {
    return struct('template', (field) => field('schema', textField))(document, { struct: '', path: '' });
  } catch (error) {
    throw new TemplateError(`unmarshalling template schema: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the bundle images that rendering may ask for, each once, in the order of the template. */
export function imagesOf(template: CatalogTemplate): string[] {
  switch (template.type) {
    case 'basic':
      return [...new Set(imagesOfBasic(template))];
    case 'semver':
      return imagesOfSemver(template);
    case 'substitutes':
      return [...new Set(imagesOfSubstitutes(template))];
  }
}

/** Renders the catalog of a template with the content of its images. Throws {@link TemplateError}. */
export const renderTemplate = (template: CatalogTemplate, rendered: RenderedImages): Catalog =>
  within(RENDERING, () => rendering(template, rendered));

function rendering(template: CatalogTemplate, rendered: RenderedImages): Catalog {
  switch (template.type) {
    case 'basic':
      return renderBasicTemplate(template, rendered);
    case 'semver':
      return renderSemverTemplate(template, rendered);
    case 'substitutes':
      return renderSubstitutesTemplate(template, rendered);
  }
}
