/** Which device, as the environment names it. */
export type DeviceSettings = {
  /** The path of the PKCS#11 library. */
  readonly module: string;
  /** The label of the token. */
  readonly token: string;
  readonly pin: string;
};
