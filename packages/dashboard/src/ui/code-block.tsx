import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import * as words from './ui.words.ts';

/** Code or a command to copy. It scrolls sideways, or breaks its lines with `wrap`. */
export function CodeBlock({
  code,
  title,
  wrap = false,
  what = words.theCode,
}: {
  code: string;
  title?: ReactNode;
  wrap?: boolean;
  what?: string;
}) {
  const copy = <CopyButton text={code} what={what} />;
  return (
    <div className={['code-block', wrap && 'wrap', !title && 'bare'].filter(Boolean).join(' ')}>
      {title ? (
        <div className="code-head">
          <span>{title}</span>
          {copy}
        </div>
      ) : (
        copy
      )}
      <pre tabIndex={wrap ? undefined : 0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
