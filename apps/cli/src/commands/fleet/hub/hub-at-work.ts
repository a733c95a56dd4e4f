import { shortDuration } from '#core/kernel/durations/short-duration';
import { FolderVisitor } from '#platform/fleet/folder/folder-visitor';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { NEXT } from '../../../output/next-commands.js';

/** The state of the hub of a fleet in files. `since`: time of the last change (RFC 3339). */
export type HubOfFleet = Readonly<{ runs: boolean; since: string | null; text: string }>;

/** Returns undefined for a fleet in an API server, and for one in files with an active hub. */
export async function hubAway(hub: KubeClient, now: Date): Promise<HubOfFleet | undefined> {
  if (!(hub instanceof FolderVisitor)) return undefined;
  const { holder, isRenewed, at } = await hub.hub();
  if (holder !== undefined && isRenewed) return undefined;
  const since = at === undefined ? null : `${at.toISOString().slice(0, 19)}Z`;
  const ago = at === undefined ? '' : ` (${shortDuration(now.getTime() - at.getTime())} ago)`;
  const stands = since === null ? '' : `the following state is from ${since}${ago}`;
  const start = NEXT.upFleet(hub.cluster);
  if (holder !== undefined) {
    const text = `Process ${holder.pid} on ${holder.host} owns this fleet, but has stopped reporting: ${stands}\n`;
    return { runs: true, since, text };
  }
  const none =
    since === null ? 'No hub has used this folder yet, or its status/ was deleted' : `No hub runs: ${stands}`;
  return { runs: false, since, text: `${none}\n  → ${start}\n` };
}
