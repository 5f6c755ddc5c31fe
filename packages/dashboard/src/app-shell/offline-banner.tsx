import { useOnline } from '../api/use-online.ts';
import { Icon } from '../ui/icon.tsx';

/** Appears while this device is offline: the content may be old, and nobody can decide. */
export function OfflineBanner() {
  const isOnline = useOnline();
  return (
    <div role="status">
      {!isOnline && (
        <div className="offline-banner">
          <Icon name="alert" />
          You are offline. What you see may be old, and nothing can be decided until you are back.
        </div>
      )}
    </div>
  );
}
