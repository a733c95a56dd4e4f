import { imageReferenceProblem } from '../../catalog/validate/image-reference.js';

/** The annotation that makes `spec.image` follow the version of the cluster (spec: catalog-sources.md §7). */
export const IMAGE_TEMPLATE_ANNOTATION = 'olm.catalogImageTemplate';

/**
 * A template with its variables filled in, or the reason that is impossible. `text` has `missing` in place of
 * an unknown value.
 */
export type TemplateOutcome =
  | Readonly<{ resolved: true; image: string }>
  | Readonly<{ resolved: false; text: string; message: string }>;

const VARIABLE = /\{kube_(major|minor|patch)_version\}/g;
const UNKNOWN = 'missing';

/**
 * Fills in `{kube_major_version}`, `{kube_minor_version}` and `{kube_patch_version}` from the API server's
 * gitVersion. Pre-release and build are ignored. If gitVersion is undefined or not a semantic version, the
 * variables stay unresolved. Spec: catalog-sources.md §7.
 */
export function resolveImageTemplate(template: string, gitVersion: string | undefined): TemplateOutcome {
  const version = versionParts(gitVersion ?? '');
  const unresolved: string[] = [];
  const text = template.replaceAll(VARIABLE, (variable, part: keyof VersionParts) => {
    const value = version?.[part];
    if (value === undefined) unresolved.push(variable);
    return value ?? UNKNOWN;
  });
  const improper = imageReferenceProblem(text) !== undefined;
  if (unresolved.length === 0 && !improper) return { resolved: true, image: text };
  return { resolved: false, text, message: whyNot(unresolved, improper) };
}

type VersionParts = Readonly<{ major: string; minor: string; patch: string }>;

const NUMBER = '(0|[1-9][0-9]*)';
const SEMANTIC = new RegExp(`^\\s*v?${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:[-+][0-9A-Za-z.+-]*)?\\s*$`);

function versionParts(gitVersion: string): VersionParts | undefined {
  const [, major, minor, patch] = SEMANTIC.exec(gitVersion.slice(0, 256)) ?? [];
  return major === undefined || minor === undefined || patch === undefined ? undefined : { major, minor, patch };
}

function whyNot(unresolved: readonly string[], improper: boolean): string {
  const variables = `variable(s) "${unresolved.join('", "')}" could not be resolved`;
  const syntax = 'one or more template(s) has improper syntax';
  const causes = [...(unresolved.length > 0 ? [variables] : []), ...(improper ? [syntax] : [])];
  return `cannot construct catalog image reference, because ${causes.join(' and ')}`;
}

const BRACED = /\{[^{}]*\}/g;

/**
 * Returns the reason a template gives no image: the template, and its texts in braces that are not variables.
 */
export function templateProblem(template: string, { message }: Extract<TemplateOutcome, { resolved: false }>): string {
  const unknown = [...new Set(template.match(BRACED) ?? [])].filter((one) => one.replace(VARIABLE, '') !== '');
  const known = 'the variables are {kube_major_version}, {kube_minor_version} and {kube_patch_version}';
  const which = unknown.length === 0 ? '' : `; ${unknown.slice(0, 5).join(', ')} is not a variable: ${known}`;
  return `annotation ${IMAGE_TEMPLATE_ANNOTATION} ${JSON.stringify(template.slice(0, 256))}: ${message}${which}`;
}
