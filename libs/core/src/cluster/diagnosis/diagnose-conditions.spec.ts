import { describe, it } from 'vitest';
import { diagnoseConditions } from './diagnose-conditions.js';
import { check, type DiagnosisCase } from './diagnosis.fixture.js';

describe('an object of OLM v1', () => {
  const extension = (...conditions: object[]) => ({
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'mill' },
    status: { conditions },
  });
  const installed = { type: 'Installed', status: 'True', reason: 'Succeeded', message: 'Installed bundle' };
  const progressing = (reason: string) => ({ type: 'Progressing', status: 'True', reason, message: 'said' });
  const available = (status: string, message: string) => ({
    type: 'Available',
    status,
    reason: 'ProbeFailure',
    message,
  });

  it.each<DiagnosisCase>([
    {
      because: 'installed',
      diagnosis: diagnoseConditions(extension(installed, progressing('Succeeded'))),
      standing: 'well',
      says: /Installed is True/,
    },
    {
      because: 'blocked for good',
      diagnosis: diagnoseConditions(extension(progressing('Blocked'))),
      standing: 'failed',
      says: /said/,
      todo: /spec/,
    },
    {
      because: 'retried',
      diagnosis: diagnoseConditions(extension(installed, progressing('Retrying'))),
      standing: 'blocked',
      says: /said/,
      todo: /is retried/,
    },
    {
      because: 'a configuration that the bundle does not take',
      diagnosis: diagnoseConditions(extension(installed, progressing('InvalidConfiguration'))),
      standing: 'failed',
      says: /said/,
      todo: /spec\.config/,
    },
    {
      because: 'not ready in time, and why',
      diagnosis: diagnoseConditions(
        extension(progressing('ProgressDeadlineExceeded'), available('False', 'a pod crashes')),
      ),
      standing: 'failed',
      says: /Available is False \(ProbeFailure\): a pod crashes\./,
      todo: /from being ready/,
    },
    {
      because: 'not ready in time, nobody knows why',
      diagnosis: diagnoseConditions(extension(progressing('ProgressDeadlineExceeded'), available('Unknown', ''))),
      standing: 'failed',
      says: /Available is Unknown \(ProbeFailure\)\./,
      todo: /from being ready/,
    },
    {
      because: 'installed and not ready',
      diagnosis: diagnoseConditions(
        extension(installed, progressing('Succeeded'), available('False', 'a pod crashes')),
      ),
      standing: 'under-way',
      says: /Available is False \(ProbeFailure\): a pod crashes\./,
    },
    {
      because: 'no conditions',
      diagnosis: diagnoseConditions(extension()),
      standing: 'under-way',
      says: /has not read it yet/,
      todo: /status/,
    },
  ])('$because', check);
});
