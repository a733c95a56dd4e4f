import { describe, expect, it } from 'vitest';
import { ADVICE } from './advice.js';
import { adviceParts } from './advice-parts.js';
import { accessOfPeople, commandIn, optionsOfPeople } from './command-in.js';
import { knownLogins } from './known-logins.js';

const PLACES = [
  { cluster: 'default', file: '/home/jane/.kube/config', context: 'default', access: {} },
  { cluster: 'default-2', file: '/tmp/west config', context: 'default', access: {} },
  { cluster: 'north', file: '/tmp/west config', context: 'north', access: {} },
  { cluster: 'store-01', file: 'Secret flotilla/store-01', context: 'store-01', access: { isInKubeconfig: false } },
];

describe('the logins that people have', () => {
  it('are those of the hub if it runs on their machine, with the files that kubectl does not read', () => {
    const logins = knownLogins(PLACES, ['/home/jane/.kube/config']);
    expect(Object.fromEntries(logins)).toEqual({
      default: { context: 'default' },
      'default-2': { context: 'default', kubeconfig: '/tmp/west config' },
      north: { context: 'north', kubeconfig: '/tmp/west config' },
    });
  });

  it('are not known if the hub runs elsewhere: there its contexts may be other clusters', () => {
    expect(Object.fromEntries(knownLogins(PLACES, undefined))).toEqual({});
  });

  it('are in what a service says of a cluster, and a file to be named where none is known', () => {
    const said = (files: readonly string[] | undefined) => {
      const logins = knownLogins(PLACES, files);
      return PLACES.map(({ cluster }) => optionsOfPeople(logins.get(cluster)));
    };
    const file = '--kubeconfig FILE';
    expect(said(undefined)).toEqual([file, file, file, file]);
    expect(said([])).toEqual([
      '--kubeconfig /home/jane/.kube/config --context default',
      "--kubeconfig '/tmp/west config' --context default",
      "--kubeconfig '/tmp/west config' --context north",
      '--kubeconfig FILE',
    ]);
  });

  it.each([
    ['default', 'kubectl --context default -n team delete subscription lamp'],
    ['default-2', "kubectl --kubeconfig '/tmp/west config' --context default -n team delete subscription lamp"],
    ['store-01', 'kubectl --kubeconfig FILE -n team delete subscription lamp'],
  ])('are in the commands for %s', (cluster, command) => {
    const login = knownLogins(PLACES, ['/home/jane/.kube/config']).get(cluster);
    const todo = ADVICE.dropSubscription('team', 'lamp');
    expect(adviceParts(commandIn(accessOfPeople(cluster, login), todo)).command).toBe(command);
  });
});
