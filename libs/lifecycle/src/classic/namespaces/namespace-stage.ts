import type * as engine from '../../engine/passes/stage.js';
import type { NamespaceRead } from './namespace-read.js';

/** Input of every stage of a pass over a namespace. */
export type NamespaceStageInput = engine.StageInput<NamespaceRead>;

/** A stage of a pass over a namespace. */
export type NamespaceStage = engine.Stage<NamespaceRead>;
