import { describe, expect, it } from 'vitest';
import { ADVICE } from './advice.js';
import { adviceParts } from './advice-parts.js';
import { type CommandAccess, commandIn, contextAccess } from './command-in.js';

const drop = ADVICE.dropSubscription('team', 'lamp');
const approve = ADVICE.approve('team', 'install-1');
const retry = ADVICE.retryPlan('team', 'install-1');
const command = (access: CommandAccess, todo: string) => adviceParts(commandIn(access, todo));

describe('what to do, as a command for a cluster', () => {
  it.each<[string, CommandAccess, string, string, string]>([
    [
      'a context that kubectl has',
      contextAccess({ cluster: 'east', context: 'east' }),
      'kubectl --context east -n team delete subscription lamp',
      'flotilla approve installplan install-1 -n team -C east',
      'flotilla retry installplan install-1 -n team -C east',
    ],
    [
      'a context of a file that was named, whose name another file has, too',
      contextAccess({ cluster: 'east-2', context: 'east', kubeconfig: '/home/jane/my config', isGiven: true }),
      "kubectl --kubeconfig '/home/jane/my config' --context east -n team delete subscription lamp",
      "flotilla approve installplan install-1 -n team --kubeconfig '/home/jane/my config' --context east",
      "flotilla retry installplan install-1 -n team --kubeconfig '/home/jane/my config' --context east",
    ],
    [
      'a context of a file that our commands read by themselves',
      contextAccess({ cluster: 'east', context: 'east', kubeconfig: '/tmp/config' }),
      'kubectl --kubeconfig /tmp/config --context east -n team delete subscription lamp',
      'flotilla approve installplan install-1 -n team -C east',
      'flotilla retry installplan install-1 -n team -C east',
    ],
    [
      'a context that was named, and that our commands do not take by themselves',
      contextAccess({ cluster: 'east', context: 'east', isChosen: true }),
      'kubectl --context east -n team delete subscription lamp',
      'flotilla approve installplan install-1 -n team --context east',
      'flotilla retry installplan install-1 -n team --context east',
    ],
    [
      'a name that is more than one word of the shell',
      contextAccess({ cluster: 'my east', context: 'my east' }),
      "kubectl --context 'my east' -n team delete subscription lamp",
      "flotilla approve installplan install-1 -n team -C 'my east'",
      "flotilla retry installplan install-1 -n team -C 'my east'",
    ],
    [
      'a login that is in no kubeconfig',
      { cluster: 'store-02' },
      'kubectl --kubeconfig FILE -n team delete subscription lamp',
      'flotilla approve installplan install-1 -n team --kubeconfig FILE',
      'flotilla retry installplan install-1 -n team --kubeconfig FILE',
    ],
  ])('with %s', (_, access, ofKubectl, alone, ofOurs) => {
    expect(command(access, drop).command).toBe(ofKubectl);
    expect(command(access, approve).command).toBe(alone);
    expect(command(access, retry).command).toBe(ofOurs);
  });

  it('names the cluster where no option does', () => {
    const access = { cluster: 'store-02' };
    expect(command(access, approve).text).toBe('With a login to cluster store-02 in FILE.');
    expect(command(access, drop).text).toMatch(
      /\(no operator is deleted\), with a login to cluster store-02 in FILE\.$/,
    );
  });

  it('leaves alone what is no command, or of another place', () => {
    for (const todo of [ADVICE.correctCatalogSpec(), ADVICE.removeRival(undefined), ADVICE.checkHubRights('applier')])
      for (const access of [{ cluster: 'store-02' }, contextAccess({ cluster: 'east', context: 'east' })])
        expect(commandIn(access, todo)).toBe(todo);
  });
});
