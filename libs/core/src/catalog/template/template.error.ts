import { FlotillaError } from '../../kernel/errors/flotilla.error.js';

/** A template that cannot be rendered. `olmText` is what opm says about the same template. */
export class TemplateError extends FlotillaError {
  readonly code = 'TemplateError';
  readonly retry = 'when-input-changes';
  constructor(
    readonly olmText: string,
    /** What the template's author can do about it; empty where `olmText` says it. */
    readonly advice = '',
    /** What kept an image from being rendered, where that is the reason. */
    override readonly cause?: Error,
  ) {
    super(advice === '' ? olmText : `${olmText} (${advice})`);
  }
}

/** Runs `action`; a {@link TemplateError} in it gets opm's words for where it happened put before its own. */
export function within<T>(where: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError(`${where}${error.olmText}`, error.advice, error.cause);
    throw error;
  }
}
