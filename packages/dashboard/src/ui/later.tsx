import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

/**
 * A part of a page that is loaded when it is first shown; until then `meanwhile` stands in its place.
 *
 * @example const AskAgain = later(async () => (await import('./ask-again.tsx')).AskAgain);
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): ComponentType<Props> {
  const Part: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Part {...props} />
    </Suspense>
  );
}
