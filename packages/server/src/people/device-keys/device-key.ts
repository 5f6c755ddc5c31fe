import type { DeviceKeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** The public half of a key pair that a person keeps in a file on their machine, under a passphrase. */
export interface DeviceKey {
  /** `dvk_…`. */
  id: string;
  userId: string;
  /** RFC 7638 thumbprint; unique in the gate. */
  keyId: string;
  jwk: DeviceKeyJwk;
  name: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

export interface DeviceKeyReader {
  findDeviceKey(keyId: string): Promise<DeviceKey | undefined>;
  /** Oldest first. */
  listDeviceKeys(userId: string): Promise<readonly DeviceKey[]>;
}

export interface DeviceKeyWriter {
  /** False when the key is already known, even as another person's. */
  insertDeviceKey(key: DeviceKey): Promise<boolean>;
  /** Guard: the key belongs to this person. */
  renameDeviceKey(userId: string, id: string, name: string): Promise<boolean>;
  /** Guard: the key belongs to this person. */
  deleteDeviceKey(userId: string, id: string): Promise<boolean>;
  /** Guard: the key still exists. */
  useDeviceKey(id: string, at: Instant): Promise<boolean>;
  deleteDeviceKeysOf(userId: string): Promise<void>;
}
