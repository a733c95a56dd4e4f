import { type AksLogin, aksLogin } from './aks-login.js';
import { type EksLogin, eksLogin } from './eks-login.js';
import { type GkeLogin, gkeLogin } from './gke-login.js';
import { type PluginCall, programName } from './plugin-call.js';

/** The login that a plugin of a cloud would give, as its arguments and its environment ask for it. */
export type CloudLogin = EksLogin | GkeLogin | AksLogin;

type Plugin = (call: PluginCall) => CloudLogin | string;

const PLUGINS: ReadonlyMap<string, Plugin> = new Map<string, Plugin>([
  ['aws', eksLogin],
  ['aws-iam-authenticator', eksLogin],
  ['gke-gcloud-auth-plugin', gkeLogin],
  ['kubelogin', aksLogin],
]);

/**
 * Returns the login that the hub gives in the place of a plugin that is not installed. Returns undefined for
 * a program of no cloud, and a text if the hub cannot stand in for this call.
 */
export const cloudLogin = (call: PluginCall): CloudLogin | string | undefined =>
  PLUGINS.get(programName(call.command))?.(call);
