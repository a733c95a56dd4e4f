import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** A mirror file that cannot be used; names the place in the file. */
export class InvalidMirrors extends FlotillaError {
  readonly code = 'InvalidMirrors';
  readonly retry: Retry = 'when-input-changes';
}

/** Places to search for images of a source, in this order, before the source itself. */
export type MirrorRule = Readonly<{
  /** `HOST[:PORT][/PATH]`, or `*.DOMAIN` for all hosts below a domain. */
  source: string;
  /** Mirrors for references by digest. */
  digestMirrors: readonly string[];
  /** Mirrors for references by tag alone. */
  tagMirrors: readonly string[];
  /** False: NeverContactSource. */
  contactsSource: boolean;
}>;

const Entry = z.looseObject({
  source: z.string(),
  mirrors: z.array(z.string()).max(100).default([]),
  mirrorSourcePolicy: z.enum(['', 'AllowContactingSource', 'NeverContactSource']).default(''),
});
const Entries = z.array(Entry).max(10_000).default([]);
const Spec = z.looseObject({
  imageDigestMirrors: Entries,
  imageTagMirrors: Entries,
  repositoryDigestMirrors: Entries,
});
const Document = z.looseObject({ kind: z.string(), spec: Spec.optional(), items: z.array(z.unknown()).optional() });
const KINDS: readonly string[] = ['ImageDigestMirrorSet', 'ImageTagMirrorSet', 'ImageContentSourcePolicy'];

const MAX_TEXT = 4 * 1024 * 1024;
const MIRROR = /^[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/;
const SOURCE = /^(?:\*(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)$/;

type Found = Readonly<{ at: string; tags: boolean; entry: z.infer<typeof Entry> }>;

/**
 * Reads mirror rules in the form that OpenShift's clusters and tools use: YAML or JSON documents, or a List
 * of them. The kinds are ImageDigestMirrorSet, ImageTagMirrorSet (config.openshift.io/v1) and the older
 * ImageContentSourcePolicy. Rules for one source are joined: mirrors in the order of the file, each once.
 *
 * Throws {@link InvalidMirrors} for rules that OpenShift's machine-config refuses, too: different policies
 * for one source, or a source that is its own only mirror.
 */
export function parseMirrorSets(text: string, file: string): MirrorRule[] {
  const rules = new Map<string, MirrorRule>();
  for (const { at, ...found } of entriesOf(text, file)) {
    const rule = ruleOf(found);
    const known = rules.get(rule.source);
    const problem = problemOf(rule, known);
    if (problem !== undefined) throw new InvalidMirrors(`${file}: ${at}: ${problem}`);
    rules.set(rule.source, known === undefined ? rule : together(known, rule));
  }
  return [...rules.values()];
}

function ruleOf({ tags, entry }: Omit<Found, 'at'>): MirrorRule {
  const mirrors = entry.mirrors.map((mirror) => mirror.trim());
  return {
    source: entry.source.trim(),
    digestMirrors: tags ? [] : mirrors,
    tagMirrors: tags ? mirrors : [],
    contactsSource: entry.mirrorSourcePolicy !== 'NeverContactSource',
  };
}

function problemOf(rule: MirrorRule, known: MirrorRule | undefined): string | undefined {
  const { source, contactsSource } = rule;
  if (!SOURCE.test(source)) return `"${source}" is not a source: expected HOST[:PORT][/PATH] or *.DOMAIN`;
  const mirrors = [...rule.digestMirrors, ...rule.tagMirrors];
  const bad = mirrors.find((mirror) => !MIRROR.test(mirror));
  if (bad !== undefined) return `"${bad}" is not a mirror: expected HOST[:PORT][/PATH]`;
  if (!contactsSource && mirrors.includes(source)) return `"${source}" is NeverContactSource and its own mirror`;
  if (known === undefined || known.contactsSource === contactsSource) return undefined;
  return `different values of mirrorSourcePolicy for the source "${source}"`;
}

const together = (a: MirrorRule, b: MirrorRule): MirrorRule => ({
  ...a,
  digestMirrors: [...new Set([...a.digestMirrors, ...b.digestMirrors])],
  tagMirrors: [...new Set([...a.tagMirrors, ...b.tagMirrors])],
});

function entriesOf(text: string, file: string): Found[] {
  return documentsOf(text, file).flatMap((value, index) => {
    const parsed = Document.safeParse(value);
    const where = `document ${index + 1}`;
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new InvalidMirrors(
        `${file}: ${where}: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not valid'}`,
      );
    }
    const { kind, spec } = parsed.data;
    if (!KINDS.includes(kind)) {
      throw new InvalidMirrors(`${file}: ${where} is a ${kind.slice(0, 100)}; expected ${KINDS.join(', ')}`);
    }
    const of = (field: 'imageDigestMirrors' | 'imageTagMirrors' | 'repositoryDigestMirrors', tags: boolean) =>
      (spec?.[field] ?? []).map((entry, at) => ({ at: `${where}: ${field}[${at}]`, tags, entry }));
    return [
      ...of('imageDigestMirrors', false),
      ...of('repositoryDigestMirrors', false),
      ...of('imageTagMirrors', true),
    ];
  });
}

/** All documents, those within Lists too. */
function documentsOf(text: string, file: string): unknown[] {
  if (text.length > MAX_TEXT) throw new InvalidMirrors(`${file} is larger than ${MAX_TEXT} characters`);
  const documents = parseAllDocuments(text);
  const values = documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new InvalidMirrors(`${file} is not YAML: ${error.message.split('\n')[0]}`);
    return document.toJS({ maxAliasCount: 100 });
  });
  return values.filter((value) => value !== null).flatMap((value) => listed(value) ?? [value]);
}

const listed = (value: unknown): unknown[] | undefined => {
  const { data } = z.looseObject({ kind: z.string().regex(/List$/), items: z.array(z.unknown()) }).safeParse(value);
  return data?.items;
};
