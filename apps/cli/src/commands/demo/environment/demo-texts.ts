import type { DemoEnvironment } from './demo-environment.js';

/** Returns the next events of the demo, in a few words. */
export const introduction = (simulated: boolean): string =>
  [
    `The sample operator harbor-operator v1.0.0, with the lighthouse-operator it depends on, is installed on ${simulated ? 'two simulated clusters' : 'your clusters'}.`,
    'Then a new catalog image is pushed, and both are upgraded over two hops: to v1.1.0, then to v1.2.0.',
    '',
    '',
  ].join('\n');

/** The link to the console of a demo that is left running, before anything happens in it. */
export const consoleAtStart = (link: string | undefined): string =>
  link === undefined ? '' : `Watch it in the web console: ${link}\n\n`;

/** Returns commands to explore the demo while everything is left running. */
export function afterwards(
  { clients, kubeconfigs, simulated, console }: DemoEnvironment,
  services: readonly Readonly<{ name: string; url: string | undefined }>[],
): string {
  const files = simulated ? clients.map(() => kubeconfigs[0]) : kubeconfigs;
  const commands = clients.map(({ cluster }, index) => {
    const context = simulated ? ` --context ${cluster}` : '';
    return `  kubectl --kubeconfig ${files[index]}${context} get catalogsources,subscriptions,installplans,csvs -A`;
  });
  const addresses = services.map(({ name, url = 'not known' }) => `  ${name.padEnd(18)} ${url}/metrics  ${url}/readyz`);
  return [
    '',
    ...(console === undefined ? [] : [`Still running. Open the web console: ${console.link}`]),
    `${console === undefined ? 'Still running. Look' : 'Look'} around from another terminal:`,
    ...commands,
    ...addresses,
    'End it with Ctrl-C.',
    '',
  ].join('\n');
}
