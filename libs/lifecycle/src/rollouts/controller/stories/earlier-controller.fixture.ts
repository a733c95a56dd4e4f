import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { PlayedServer } from '../rollouts.fixture.js';
import type { EarlierController } from './played-story.fixture.js';

/** Writes of one pass: objects as they were after it. */
type RecordedPass = Readonly<{ asked: number | null; written: readonly KubernetesObject[] }>;

/** Passes of a controller of an earlier release, until it was replaced in the middle of a story. */
type Recording = Readonly<{ until: number; passes: readonly RecordedPass[] }>;

const FILE = join(import.meta.dirname, 'hub-of-1dab5b02.json');

/** Reads what the controller of that commit wrote in stories that both releases play. */
export const readRecordings = (): Readonly<Record<string, Recording>> =>
  JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Recording>;

/** Plays the writes of a recording again, pass by pass. */
export const replayed = ({ until, passes }: Recording): EarlierController => ({
  until,
  open: (hub) => {
    let made = 0;
    const pass = async (): Promise<number | undefined> => {
      const { asked, written } = passes[made++] ?? { asked: null, written: [] };
      for (const object of written) write(hub, object);
      return asked ?? undefined;
    };
    return { pass, noteNews: () => undefined };
  },
});

function write(
  hub: PlayedServer['cluster'],
  { apiVersion = '', kind = '', metadata, ...content }: KubernetesObject,
): void {
  const { name = '', namespace, annotations, labels } = metadata;
  const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  if (hub.get(ref) === undefined) {
    hub.create({
      apiVersion,
      kind,
      metadata: { name, namespace, annotations, labels },
      ...content,
    } as KubernetesObject);
  }
  const { status, ...others } = content;
  hub.edit(ref, (stored) => Object.assign(stored, { ...others, metadata: { ...stored.metadata, annotations } }));
  if (status !== undefined) hub.edit(ref, (stored) => Object.assign(stored, { status }), 'status');
}
