import { useOnline } from '../api/use-online.ts';
import { Icon } from '../ui/icon.tsx';
import * as words from './app-shell.words.ts';

/** Appears while this device is offline: the content may be old, and nobody can decide. */
export function OfflineBanner() {
  const isOnline = useOnline();
  return (
    <div role="status">
      {!isOnline && (
        <div className="offline-banner">
          <Icon name="alert" />
          {words.offlineBanner}
        </div>
      )}
    </div>
  );
}
