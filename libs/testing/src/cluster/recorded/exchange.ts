/** One request, and why its answer is worth comparing. */
export type RecordedExchange = Readonly<{
  because: string;
  method: string;
  path: string;
  /** Short for the content type of the body; default json. */
  type?: keyof typeof CONTENT_TYPES;
  body?: unknown;
  /** Code of the awaited answer: the request is sent again until then, as some effects take a moment. */
  until?: number;
}>;

export const CONTENT_TYPES = {
  json: 'application/json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  jsonPatch: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export type Answer = Readonly<{ code: number; body: unknown; warnings: readonly string[] }>;

/** Sends one request to an API server; the user agent must be `exchange/1`. */
export type Send = (exchange: RecordedExchange) => Promise<Answer>;

/** The namespace everything happens in; it is made first and deleted last. */
export const NAMESPACE = 'exchanges';
