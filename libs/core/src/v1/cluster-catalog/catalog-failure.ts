import { isDigestReference } from './cluster-catalog-spec.js';

/** The reason a catalog does not progress. Blocked: retrying cannot help until a user changes the spec. */
export type CatalogFailure = Readonly<{ message: string; blocked: boolean }>;

/** The problem of a refresh, as far as it decides between Retrying and Blocked. */
export type RefreshProblem =
  /** The text of `source.image.ref` is no image reference. */
  | Readonly<{ kind: 'unparsable'; why: string }>
  /** The image does not name the place of its catalog. */
  | Readonly<{ kind: 'label missing' }>
  /** The image could not be pulled. */
  | Readonly<{ kind: 'pull'; why: string }>
  /** The content of the image is not a file-based catalog. */
  | Readonly<{ kind: 'store'; why: string }>;

const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';

/** Retrying or Blocked, and the condition's text (spec: v1-catalog.md §1, conditions). */
export function failureOf(ref: string, problem: RefreshProblem): CatalogFailure {
  switch (problem.kind) {
    case 'unparsable':
      return {
        message: pulling(`error parsing image reference ${JSON.stringify(ref)}: ${problem.why}`),
        blocked: true,
      };
    case 'label missing':
      // A tag may name a better image tomorrow; a digest never does.
      return {
        message: pulling(`catalog image is missing the required label ${JSON.stringify(CATALOG_LABEL)}`),
        blocked: isDigestReference(ref),
      };
    case 'pull':
      return { message: pulling(problem.why), blocked: false };
    case 'store':
      return { message: sanitized(`error storing fbc: ${problem.why}`), blocked: false };
  }
}

const pulling = (text: string) => sanitized(`source catalog content: ${text}`);

const SOCKET_PAIR = /(?:read|write) (?:tcp|udp) \S+:\d+->\S+:\d+(?:: )?/g;

/** A condition takes 32 KiB; users read less. */
const MAX_MESSAGE = 8_192;

/**
 * Local ports differ from try to try. Without them equal failures have equal texts, and no status is
 * rewritten.
 */
const sanitized = (message: string): string => message.slice(0, MAX_MESSAGE).replaceAll(SOCKET_PAIR, '');
