import type { EventLog } from '../controller/record/event-log.js';
import type { FleetSubject } from '../controller/record/subjects.js';
import type { Agenda } from '../windows/agenda.js';
import type { Faults } from './faults.js';
import type { FaultsFile } from './scenario-schema.js';

/** Something to do at a time, as long as it is still due. */
export type Due = Readonly<{ act: () => void; isLive: () => boolean }>;

/** The inputs of a simulated world. */
export type WorldOptions = Readonly<{
  seed: string;
  file: FaultsFile;
  faults: Faults;
  log: EventLog;
  agenda: Agenda<Due>;
  /** Subjects as they are now. */
  subjectOf: (key: string) => FleetSubject | undefined;
  /** True if a catalog's content is that of the first rollout with `needed`, or of a later one. */
  isAtLeast: (catalog: string, held: string | null, needed: string) => boolean;
  /** Called after a change in a cluster, or in the hub's knowledge of it. */
  changed: (cluster: string) => void;
}>;
