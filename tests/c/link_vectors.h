/*
 * Frames and keys of every suite for the inputs of test_link_vectors.c. A Python program computed them
 * from docs/protocol.md. It shares no code with the node. It uses hashlib, the package cryptography,
 * and its own Ascon, which gives the known answers of [SP800-232]. The crate snow, an independent
 * implementation of Noise, gives the same joins of suites 2 and 3.
 */
#ifndef LINK_VECTORS_H
#define LINK_VECTORS_H

static const struct {
    const char *request, *accept, *up, *down, *wide_up, *wide_down, *narrow_up, *narrow_down;
    const char *commit, *key_frame, *reveal, *device_key, *result0, *result1;
    const char *seed, *draw2, *first_seed, *first_id;
    uint32_t digits;
} vectors[4] = {
    {
        .request =
            "50c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7ce86752"
            "42ff440d751f618f5b71fe2d399af29ffe50",
        .accept =
            "607dcbc922883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c772eb7d1"
            "b8ff1ac0182e0200e0c08cc10862b427f34a",
        .up = "bfe860c0f20ed90655241b89b36b56cd6bc0e2de13703a80e9bcad54c8dbdee7",
        .down = "96c20761a3e4a099420327809102d391cb9d98930241d9bd1e34143aa0c27ef9",
        .wide_up = "73b3a20100050064d78730bd977a3901ab83e2df950eebd83c0890bc895e6678aeefeea7af216f",
        .wide_down = "87b3a2010000004689235178dbf0b33809e6e566eb659698af42",
        .narrow_up = "7cc3b20700cba6dfbfee63e433ed1f93866c22",
        .narrow_down = "80c3b2feffe092594f8d0eddb5fd38",
        .commit = "10c3a7105e01984bd7efccc748a0d7d19d3b28dc728a69c55d4ede1e96eec7738396be3d1ed9",
        .key_frame = "20c3a7105e883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c77",
        .reveal =
            "30c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7ce0e1e2"
            "e3e4e5e6e7e8e9eaebecedeeef",
        .device_key = "8544464a8b9ec8919d22ef7322a2dd567b94cf5279655577aeae0bdf04025a3c",
        .result0 = "40c3a7105e77109e6cd5e1d4772ed9597aae2fc8d2",
        .result1 = "41c3a7105ea984a7a00a3267fe0c5810198cd70f49",
        .seed = "070b5b71105ffd07ae32112c2111ca2a2cbc51757c4efb6fcda995b5f19a97b4",
        .draw2 = "9a42167a4caaecedd16e05ceef4a5f3094daf796b79cf5707bb9d59c7a019d7e",
        .first_seed = "d6e52f0f043b1d276f037865b9b5b95d92b54ba38bd135b46b7f754e27893f85",
        .first_id = "80240ffa",
        .digits = 675716,
    },
    {
        .request =
            "50c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7cf205d3"
            "09eb9d7a13dda3e29d1755df71d5fd495f49",
        .accept =
            "6081d58779883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c771dd3f4"
            "a2fbcc220575f7450cee919d27203579099b",
        .up = "7fce7ffa1b2199ed804e3163499dcd5978bb9309d88bcadf2f38495b41562e8c",
        .down = "fefcefa4b03d5699b4494510e3174d9f9448df9f623e2e3eb72757421f34db55",
        .wide_up = "73b3a201000500154051f6e7c65d41db9531b1bfee779ea82e28c0702001abb0adf2ba6725ed81",
        .wide_down = "87b3a20100000094f4e36a35c3ec93282b53c658793c0b742c4a",
        .narrow_up = "7cc3b207003a815a68bca979a521c265ee19b6",
        .narrow_down = "80c3b2feff91a466ead19dee753c4a",
        .commit = "10c3a7105e0273950ba295a6a1261b7ef746dc17207a76ad388e177e3e2c7327c06ab7948a44",
        .key_frame = "20c3a7105e883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c77",
        .reveal =
            "30c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7ce0e1e2"
            "e3e4e5e6e7e8e9eaebecedeeef",
        .device_key = "6975966d8a8ff837cb70a0be93876aa2741428cf9e09c459a13df095b97d8d0b",
        .result0 = "40c3a7105ec26a1ac3ae7b7fcc692ac4ba4651238a",
        .result1 = "41c3a7105ef6579589e6c54fe5c1160cbd982fb7cf",
        .seed = "805cb0037e573c6e3bf46cb80c1fccb1d56c7ff3784e7847f8023e910083ec74",
        .draw2 = "c30bdd26e75a9e4991f264173f5fee28976246da18c0da61a978ff395264e2e6",
        .first_seed = "7cf2270c6b9b9fe97e1d6a8ba1c714a6f631d4b5184ebbaa9ad0d3086fba5593",
        .first_id = "443c23d7",
        .digits = 494724,
    },
    {
        .request =
            "50c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c143016"
            "530da54ec29535a12d94e48e39d542645565",
        .accept =
            "60f40cd97e883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c770c52d4"
            "d49c4a22a7a6fb0864d8975323ca851224bb",
        .up = "413b911c2ef35d8949e7aece1ddd837657655807a0f64f28ab47ca65681e7667",
        .down = "0dadf41b7072f21b289e7cc2b046bba12d4544bb513135ee4a20d4852cc5f1ab",
        .wide_up = "73b3a201000500df602c667e82ec372c31d24fd66e42e39ed853a6a530f90e096811580094323d",
        .wide_down = "87b3a2010000005ecada431dc9eb8a6bf2960a4e9c1d980f7350",
        .narrow_up = "7cc3b20700c136ebaa7882a42886010f93c19c",
        .narrow_down = "80c3b2feff4272d19feb2b446798af",
        .commit = "10c3a7105e038b4e3ae1d7382677d075fd9c319436be6e64a9e639837a5bdb8df6786a2682d2",
        .key_frame = "20c3a7105e883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c77",
        .reveal =
            "30c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7ce0e1e2"
            "e3e4e5e6e7e8e9eaebecedeeef",
        .device_key = "e142da853b52fdc4f31aca5059dc2a84d1d49bbc5bdc0a35699b75bad2c074b9",
        .result0 = "40c3a7105e7ddbe9c98a61725d4f8b503bb7e2d4ee",
        .result1 = "41c3a7105e68c01d0ef337e3964220cc419c6934ff",
        .seed = "dfe50ced961bcc8f79dca356ac827b346e4dbfd88c7cf22b478aea9ab94ca59d",
        .draw2 = "eb9f8be68708814d7d61c04dd510e1f2d7f3ed4134d8a9c0dd300e662d33dc97",
        .first_seed = "26c07efdecaa0c29fe328dce4a33c4f78888b48e8b5f44e61fc255bfbf6095bd",
        .first_id = "b96e7900",
        .digits = 561797,
    },
    {
        .request =
            "50c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7ccd6937"
            "990d21e8dd5332691fe9a892ff4407845ca9",
        .accept =
            "60b17c9854883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c7758bcea"
            "1d36597f47f1fc54e769a6622c44b3b89984",
        .up = "1a27d24efd55ad5a205b29afde7826af30a4e07d458ead0a50cf6e87ac9dba7c",
        .down = "ee472f1289e670d925b9e471da886ba97ecbdbfbe7e108f0305c347a4a0ccfd2",
        .wide_up = "73b3a20100050021dbd7b9605827eda77fc1f1a428815e2b86b4e262bc392f235eba85ead6c3e5",
        .wide_down = "87b3a2010000004ee5dba27ab578d7f7e670264b11d08630b2c1",
        .narrow_up = "7cc3b2070098b03fa055a6782f2bb552375997",
        .narrow_down = "80c3b2feffabb1c6e535c663cf46d7",
        .commit = "10c3a7105e04e0c8e2e032987adaa9098975b7e90233b163013a72dc7196a727866cf6e92d55",
        .key_frame = "20c3a7105e883186b800b41d5cf0429695da9b3cc4f328ebcd184a6e482fa578c103f06c77",
        .reveal =
            "30c3a7105e07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7ce0e1e2"
            "e3e4e5e6e7e8e9eaebecedeeef",
        .device_key = "dc2124a3d86013c7ba4d878dd0149c65ce7a0c258a854c28559c846bb25a5906",
        .result0 = "40c3a7105e389e649d7b9d19bb195d0e3771c98f84",
        .result1 = "41c3a7105eba1f62c0338bb824a469dc7c62311d94",
        .seed = "f88d79345a1886384d8096ea30d13f02b33c2b3ec206554ceb16837a1c04c000",
        .draw2 = "d98a274c705df0b1feddf5895f3308c988f5df5a86502c71c4672db27a7e11c8",
        .first_seed = "b7b0a0f025213c26792e9025550179fb657fe7b6eff0e97953fe1c96622d1019",
        .first_id = "84a50101",
        .digits = 874120,
    },
};

#endif
