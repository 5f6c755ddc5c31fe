import { Skeleton } from '../ui/waiting.tsx';
import * as words from './app-shell.words.ts';
import { Brand } from './brand.tsx';

/** The frame while the session is still loading. index.html draws the same before any script runs. */
export function FirstShell() {
  return (
    <div className="shell">
      <header className="shell-header">
        <span className="brand">
          <Brand />
          <span className="brand-name">{words.product}</span>
        </span>
      </header>
      <div className="sidebar" />
      <main className="shell-main">
        <Skeleton lines={8} />
      </main>
    </div>
  );
}
