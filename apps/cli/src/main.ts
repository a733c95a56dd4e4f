import { oldNode } from '#core/cluster/doctor/old-node';

// Checked before everything else is loaded: an old Node would fail there, with a text about a module of its
// own.
const old = oldNode(process.versions.node);
if (old === undefined) await import('./command-line.js');
else {
  process.stderr.write(`error: ${old.text}: ${old.todo}\n`);
  process.exitCode = 2;
}
