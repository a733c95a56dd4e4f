/**
 * The second half of the import rule (ARCHITECTURE.md): no folder imports another that imports it, directly or through others.
 * Type-only imports count; a folder counts with all that lies in it. Specs and fixtures are left out: they may import what they
 * need. A folder and its own parent are held by test/rules/folders.spec.ts (decision 0539).
 */
const { options } = require('./.dependency-cruiser.cjs');

/** The folders of every library and every app. */
const FOLDERS = '^(apps|libs)/[^/]+/(src|web)(/|$)';

module.exports = {
  forbidden: [
    { name: 'no-folder-cycles', severity: 'error', comment: 'no folder imports another that imports it, types included', scope: 'folder', from: { path: FOLDERS }, to: { circular: true } },
  ],
  options: { ...options, exclude: { path: '^dist|\\.(spec|fixture|conformance)\\.tsx?$' } },
};
