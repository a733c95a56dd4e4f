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
import type { HubKey } from '../hub/hub-key.js';
import type { TokenList } from './token-list.js';
import type { TokenReviewer } from './token-reviewer.js';

export type HttpAccessOptions = Readonly<{
  /** Areas that ask for authentication. */
  areas: ReadonlySet<HttpArea>;
  tokens?: TokenList;
  /** What other processes of the hub read content with. */
  key?: HubKey;
  /** Asks the API server of the cluster in which the hub runs. */
  reviewer?: TokenReviewer;
}>;

/** What one poller may not have, and another one has. */
const OF_ONE_POLLER: ReadonlySet<HttpArea> = new Set(['content', 'packages', 'catalogs']);

export type HttpQuestion = Readonly<{
  area: HttpArea;
  /** In the spelling of `canonicalPath`. */
  path: string;
  /** The `Authorization` header. */
  authorization: string | undefined;
}>;

/**
 * What the authentication code of a request between processes of the hub is made of: it
 * opens this one path alone.
 */
const codeParts = (path: string): readonly string[] => ['http', path];

/** The `Authorization` header with which a process of the hub reads a path of another one. */
export const hubAuthorization = (key: HubKey, path: string): string => `Bearer ${key.codeOf(codeParts(path))}`;

/** What the code of a request that one poller passes on to another is made of. */
const peerCodeParts = (path: string): readonly string[] => ['peer-http', path];

/** The `Authorization` header with which a poller passes a request that it admitted on to another one. */
export const peerAuthorization = (key: HubKey, path: string): string => `Bearer ${key.codeOf(peerCodeParts(path))}`;

/** Whether another poller of the hub passes the request on. */
export function isFromPeer(key: HubKey, path: string, authorization: string | undefined): boolean {
  const token = bearerToken(authorization);
  return token !== undefined && key.verifies(token, peerCodeParts(path));
}

/**
 * Decides which requests are answered. Asked where a request is served, after its path was
 * read, whatever its spelling.
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
    if (area === 'content' && key?.verifies(token, codeParts(path)) === true) return ADMITTED;
    const isPassedOn = key !== undefined && OF_ONE_POLLER.has(area) && isFromPeer(key, path, authorization);
    if (isPassedOn) return ADMITTED;
    const owner = await tokens?.ownerOf(token);
    if (owner !== undefined) return allowsPath(owner.paths, path) ? ADMITTED : pathForbidden(owner.name, path);
    return reviewer === undefined ? tokenUnknown : reviewer.review(token, path);
  }
}
