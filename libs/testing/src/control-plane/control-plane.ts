import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Environment } from '#platform/config/setting';

export type ControlPlaneCluster = Readonly<{
  name: string;
  /** A kubeconfig of this cluster alone, with administrator's rights. */
  kubeconfigPath: string;
  kubeconfig: string;
}>;

/** The data of a control plane, put back as from a backup. */
export type EtcdData = Readonly<{
  /** Copies the data as they are at one moment; returns the folder of the copy. */
  copy(): Promise<string>;
  /**
   * Stops the whole control plane, puts the copy in the place of the data and starts all of it again, as
   * Kubernetes describes it. Resolves when the API servers answer.
   */
  putBack(copy: string): Promise<void>;
}>;

/** Real Kubernetes API servers for tests. */
export type ControlPlane = Readonly<{
  clusters: readonly ControlPlaneCluster[];
  /** Origin of the control plane, for people. */
  describe: string;
  /**
   * Kills the API server of the cluster and starts it again after so long, with its port and its data;
   * resolves when it answers. Only if `ownProcesses` were asked for.
   */
  crashApiServer?: (cluster: string, awayMs: number) => Promise<void>;
  /** The data of all clusters. Only if `ownProcesses` were asked for. */
  etcd?: EtcdData;
  /** Ends and removes everything it started; clusters that were there before stay. */
  stop(): Promise<void>;
}>;

export type ApiServerArguments = readonly string[] | ((cluster: string) => readonly string[]);

export type ControlPlaneOptions = Readonly<{
  /** How many clusters; default 1. */
  clusters?: number;
  /** Gets a line for each step; default: stderr. */
  log?: (line: string) => void;
  environment?: Environment;
  /**
   * Further arguments of each kube-apiserver that we start ourselves, the same for all or by cluster; then
   * existing clusters and K3s are passed over.
   */
  apiServerArguments?: ApiServerArguments;
  /** API servers that may be crashed; then existing clusters and K3s are passed over, too. */
  ownProcesses?: boolean;
}>;

/** No control plane could be had; the message names every way to one and why it is closed here. */
export class ControlPlaneNotFound extends FlotillaError {
  readonly code = 'ControlPlaneNotFound';
  readonly retry: Retry = 'when-input-changes';
  constructor(readonly closed: readonly string[]) {
    super(`no control plane for tests could be found:\n${closed.map((line) => `  - ${line}`).join('\n')}`);
  }
}

/** A control plane that was found or asked for does not work. */
export class ControlPlaneFailed extends FlotillaError {
  readonly code = 'ControlPlaneFailed';
  readonly retry: Retry = 'backoff';
}
