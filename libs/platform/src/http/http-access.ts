import {
  ADMITTED,
  type Admission,
  pathForbidden,
  tokenMissing,
  tokenUnknown,
} from '#core/kernel/http-access/admission';
import type { HttpArea } from '#core/kernel/http-access/http-area';
import { allowsPath } from '#core/kernel/http-access/path-rule';
import { bearerToken } from '#core/kernel/http-access/token-file';
import type { HubKey } from '../keys/hub-key.js';
import type { TokenList } from './token-list.js';
import type { TokenReviewer } from './token-reviewer.js';

type HttpAccessOptions = Readonly<{
  /** Areas that ask for authentication. */
  areas: ReadonlySet<HttpArea>;
  tokens?: TokenList;
  /** Key by which other processes of the hub read content. */
  key?: HubKey;
  /** Asks the API server of the hub's own cluster. */
  reviewer?: TokenReviewer;
}>;

/** Areas that one poller may be missing and another one has. */
const OF_ONE_POLLER: ReadonlySet<HttpArea> = new Set(['content', 'packages', 'catalogs']);

type HttpQuestion = Readonly<{
  area: HttpArea;
  /** Path in the spelling of `canonicalPath`. */
  path: string;
  /** The `Authorization` header. */
  authorization: string | undefined;
}>;

/** A request between processes of the hub, or one that a poller passes on to another. */
type CodeKind = 'http' | 'peer-http';

const MINUTE_MS = 60_000;
/** Validity of a code: requests take seconds, and clocks of the hub differ by less. */
const CODE_MINUTES = 5;
const MINUTE = /^\d{1,9}$/;

/** Returns a code that opens one path alone. The minute is in clear, and is part of the signed text. */
function codeOf(key: HubKey, kind: CodeKind, path: string, nowMs: number): string {
  const minute = String(Math.floor(nowMs / MINUTE_MS));
  return `Bearer ${minute}.${key.codeOf([kind, path, minute])}`;
}

/** False for the code of another path, and for one that was seen earlier. */
function opens(key: HubKey, kind: CodeKind, path: string, token: string, nowMs: number): boolean {
  const [minute = '', code = ''] = token.split('.', 2);
  if (!MINUTE.test(minute) || Math.abs(nowMs / MINUTE_MS - Number(minute)) > CODE_MINUTES) return false;
  return key.verifies(code, [kind, path, minute]);
}

/** Returns the `Authorization` header by which a process of the hub reads a path of another one. */
export const hubAuthorization = (key: HubKey, path: string, nowMs = Date.now()): string =>
  codeOf(key, 'http', path, nowMs);

/** Returns the `Authorization` header by which a poller passes an admitted request on to another one. */
export const peerAuthorization = (key: HubKey, path: string, nowMs = Date.now()): string =>
  codeOf(key, 'peer-http', path, nowMs);

/** True if another poller of the hub passes the request on. */
export function isFromPeer(key: HubKey, path: string, authorization: string | undefined, nowMs = Date.now()): boolean {
  const token = bearerToken(authorization);
  return token !== undefined && opens(key, 'peer-http', path, token, nowMs);
}

/**
 * Decides which requests are answered. Asked when a request is served, after its path was read in any
 * spelling.
 */
export class HttpAccess {
  constructor(private readonly options: HttpAccessOptions) {}

  /** All areas are open. */
  static open(): HttpAccess {
    return new HttpAccess({ areas: new Set() });
  }

  async admit({ area, path, authorization }: HttpQuestion): Promise<Admission> {
    const { areas, key, tokens, reviewer } = this.options;
    if (!areas.has(area)) return ADMITTED;
    const token = bearerToken(authorization);
    if (token === undefined) return tokenMissing;
    if (area === 'content' && key !== undefined && opens(key, 'http', path, token, Date.now())) return ADMITTED;
    const isPassedOn = key !== undefined && OF_ONE_POLLER.has(area) && isFromPeer(key, path, authorization);
    if (isPassedOn) return ADMITTED;
    const owner = await tokens?.ownerOf(token);
    if (owner !== undefined) return allowsPath(owner.paths, path) ? ADMITTED : pathForbidden(owner.name, path);
    return reviewer === undefined ? tokenUnknown : reviewer.review(token, path);
  }
}
