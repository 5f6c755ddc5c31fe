import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

type PropsOf<Part> = Part extends (props: infer Props) => ReactNode ? Props : never;

/**
 * A part of a page that is loaded when it is first shown. Until then, `meanwhile` takes its place.
 *
 * @example const AskAgain = later(() => import('./ask-again.tsx'), 'AskAgain');
 */
export function later<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  meanwhile: ReactNode = null,
): (props: PropsOf<Module[Name]>) => ReactNode {
  const Part = lazy(async () => ({ default: (await load())[name] as ComponentType<object> }));
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Part {...(props as object)} />
    </Suspense>
  );
}
