/** JSON Pointers (RFC 6901), from the steps of a path and back. */

/** @example jsonPointer(['a/b', 0]) // '/a~1b/0' */
export function jsonPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** @param pointer '' or a text that begins with `/`. @example pointerSteps('/a~1b/0') // ['a/b', '0'] */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
