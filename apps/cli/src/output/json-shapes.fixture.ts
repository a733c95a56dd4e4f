import { z } from 'zod';

const verdict = z.enum(['yes', 'no', 'incomplete']);
const away = z.array(z.strictObject({ cluster: z.string(), because: z.string(), refused: z.literal(true).optional() }));
const any = z.unknown();
const list = z.array(any);
const text = z.string();

/**
 * The keys of every answer that `-o json` and `-o yaml` print, by verb. A key may be added; none is renamed
 * or removed. Some verbs are missing here. They print a document of another format (render, template, graph,
 * resolve, bundle render, fleet simulate) or a bare array of rows (`catalog packages`, `channels` and
 * `bundles`).
 */
export const JSON_SHAPES = {
  get: z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('List'), verdict, away, items: list }),
  status: z.strictObject({ verdict, away, hub: list, clusters: list, waiting: list }),
  assess: z.strictObject({ verdict, away, totals: any, items: list }),
  doctor: z.strictObject({ verdict, items: list }),
  'clusters list': z.strictObject({ verdict, away, items: list }),
  'clusters check': z.strictObject({ verdict, away, items: list }),
  approve: z.strictObject({ verdict, away, items: list }),
  'plan --live': z.strictObject({ verdict, away, items: list }),
  plan: z.strictObject({
    verdict,
    namespace: text,
    notes: list,
    result: z.enum(['resolved', 'unsatisfiable', 'error']),
    bundles: list.optional(),
    subscriptionsCreated: list.optional(),
    subscriptionsUpdated: list.optional(),
    unresolved: list.optional(),
    failing: list.optional(),
    message: text.optional(),
    story: text.optional(),
    explanation: list.optional(),
    advice: any.optional(),
  }),
  'plan, of ClusterExtensions': z.strictObject({ verdict, items: list }),
  explain: z.strictObject({
    verdict,
    cluster: text,
    kind: text,
    namespace: text.optional(),
    name: text,
    code: text,
    standing: z.enum(['failed', 'blocked', 'needs-approval', 'under-way', 'well']),
    because: list,
    todo: list,
    root: any.optional(),
    resolution: any.optional(),
    unread: list.optional(),
    withheld: list.optional(),
  }),
  'explain --catalog': z.strictObject({
    verdict,
    kind: text,
    namespace: text.optional(),
    name: text,
    well: z.boolean(),
    state: text,
    text,
    message: text.optional(),
    explanation: list.optional(),
    advice: text.optional(),
    outlook: any.optional(),
    plan: any.optional(),
  }),
  path: z.strictObject({
    verdict,
    package: text,
    from: any,
    to: any,
    channel: text,
    olm: list.nullable(),
    shortest: list.nullable(),
    goesOnTo: text.nullable(),
    why: list,
  }),
  'catalog diff': z.strictObject({ verdict, changes: list, broken: list, notes: list }),
  'catalog validate': z.strictObject({
    verdict,
    passed: z.boolean(),
    error: any.optional(),
    problems: list.optional(),
    warnings: list.optional(),
    images: list.optional(),
  }),
  'bundle validate': z.strictObject({ verdict, passed: z.boolean(), problems: list }),
  'crd check': z.strictObject({ verdict, ok: z.boolean(), violations: list }),
  health: z.strictObject({ verdict, items: list }),
  version: z.strictObject({ verdict, client: any, hub: any.optional() }),
} as const;

export type ShapedVerb = keyof typeof JSON_SHAPES;

/** The table of docs/command-json.md: the keys of each verb, with `?` behind those that may be absent. */
export function shapeTable(): string {
  const rows = Object.entries(JSON_SHAPES).map(([verb, { shape }]) => {
    const keys = Object.entries<z.ZodType>(shape).map(
      ([key, type]) => `\`${key}${type.safeParse(undefined).success && !isAny(type) ? '?' : ''}\``,
    );
    return `| \`${verb}\` | ${keys.join(', ')} |\n`;
  });
  return `| verb | keys |\n|---|---|\n${rows.join('')}`;
}

const isAny = (type: z.ZodType): boolean => type === any;
