import { describe, expect, it } from 'vitest';
import { approvePlan } from '../commands/objects/approve-plan.js';
import { NEXT } from './next-commands.js';

describe('the next step that an answer names', () => {
  it('has all that the command needs: plan, namespace and cluster', async () => {
    const plan = {
      ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
      metadata: { name: 'install-1', namespace: 'team', resourceVersion: '1' },
      spec: { approval: 'Manual', approved: true, clusterServiceVersionNames: [] },
      status: { phase: 'Failed', catalogSources: [] },
    };
    const client = { cluster: 'east', get: async () => plan } as never;
    const asked = { kind: 'InstallPlan', name: 'install-1', namespace: 'team' } as const;
    expect((await approvePlan(client, asked, { dryRun: true, access: '-C east' })).because).toMatch(
      /\(flotilla explain installplan install-1 -n team -C east\); .* flotilla retry installplan install-1 -n team -C east$/,
    );
  });

  it('quotes what a user gave', () => {
    expect(NEXT.validateCatalog('./my catalog')).toBe("flotilla catalog validate './my catalog'");
  });

  it('names the cluster whose definitions are missing', () => {
    expect(NEXT.installCrds('--context east')).toMatch(/^kubectl --context east apply --server-side /);
  });
});
