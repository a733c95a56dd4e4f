import type { Command } from 'commander';
import { gathered } from '../../../clusters/cluster-options.js';

/** The hub that a verb asks about rollouts. */
export type FleetHubOptions = Readonly<{
  /** A folder, a context, `dir:PATH`, `context:NAME` or `in-cluster`; absent: that of FLOTILLA_FLEET. */
  fleet?: string;
  kubeconfig?: readonly string[];
  requestTimeout?: string;
}>;

/** Notes for the help of every verb about the fleet. */
export const FLEET_STORE_HELP = `
Which fleet: --fleet, otherwise FLOTILLA_FLEET. The value is a folder (PATH or dir:PATH), a context of a kubeconfig (NAME or
context:NAME), or in-cluster. The kubeconfig is that of --kubeconfig, otherwise a file of FLOTILLA_KUBECONFIG with the context,
otherwise that of kubectl.`;

/** Adds the options that name the hub. */
export const withFleetHubOptions = (command: Command): Command =>
  command
    .option('--fleet <dir|context>', 'folder of the fleet, context of its hub, or in-cluster (default: FLOTILLA_FLEET)')
    .option('--kubeconfig <file>', 'kubeconfig with the context; may be given several times', gathered)
    .option('--request-timeout <duration>', 'time limit for an answer of the hub, such as 30s (default: 10s)');
