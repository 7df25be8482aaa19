"""The published requirement sets about share groups."""

FROZEN = {
    "share-4.0@1": "e295062235e3eb1a3f76dd21e9a4f52235e7e4380176b9506795d7d37ccc481b",
    "share-4.1@1": "c2217d16c307519b292e985b87b4590ccd0253af05f91ccd0e367a77436b1c96",
    "share-4.2@1": "0ad960733076b81eb21019a07e3b115b656c6eb3bac01b7a179346cfb160c583",
    "share-4.3@1": "002b8856508de3255ea0390a3d97dcc0a9f0040efdf68642e759bc13215e6b62",
    "share-4.4@1": "ff1e51e7848e922cf996391739db683c4ab1c3729d7e6666c34e0a6e8f1a19ec",
    "share-4.0@2": "a81813009424f265a35be71bfc6618ab33ba3c14bff1ebd6b629ef4afeed0fff",
    "share-4.1@2": "6f5a7aa11fc4ea88607ab822df9793f13ced0a4e9a9a093198ca45d9121df64f",
    "share-4.2@2": "fef8f8294852c40c1c25a597e3a255ca84f8d97f99aca630e496b7aaa8f36af9",
    "share-4.3@2": "48bdb7ff9e55905d948fac84e16f2c674dbe10f613c33e729f95c17e6c545821",
    "share-4.4@2": "df6a93451e35ebda4fbd6c0c851dc5eda6316580927cb871f05ea9651aa302bb",
    "share-4.0@3": "4d46e9c7a1bf68be02bcdc446127c20fc465cca23b4a10e7bd4eca1ff3c50804",
    "share-4.1@3": "1288194264d47a62512457ce67756c2dde13ba2b8646c6535c878bcf01366002",
    "share-4.2@3": "3c2a75bf320f2b32edcb382032277c557a6f8eee12a642aba7ae7d99fec0ea2d",
    "share-4.3@3": "666b9379b05114ed38a7c0a3320608c3b646dccbb8febfa55627c56d58dde95a",
    "share-4.4@3": "8e3a97e44d92233c06d72bb8331875302d5b5b6fbb93cbfb8ca813c2e539ed8c",
    "share-4.0@4": "8bee0ac109811e848f0bd9c218fa2f9e75de4453f655d71ea4e17214c2efb19b",
    "share-4.1@4": "df6aa32e55bec3b0a3fdeab4f9c1f649d5885c3423450a6f9f096fc6be846e99",
    "share-4.2@4": "3438f4f2636ab68fb81d764dd9b20ad7d12b11f757df3675eecb07cb30ac7d21",
    "share-4.3@4": "65e40c425c6a9783a38cdd1006381c9a4d0f96148878a3ddf2c07fad85fcc0dd",
    "share-4.4@4": "e97de39cab00217d0db59dddf8a9d98b58888a5b1cc40e40fae34800bd142fad",
    "share-4.1@5": "7cbdbcb48b33764b7047244940a3646e4af8004009d4ac9b6f051f1ad0409f1c",
    "share-4.2@5": "7ce83c26680951d8f576374bda65bd068dee8550868e1bf08e85210992d5dab9",
    "share-4.3@5": "6a588a93c51f053b3d0d12f508d67f76ef7e61d6797841164f25433edbd9fc3e",
    "share-4.4@5": "dd581ca8527f823cd4a1dc68d236dc33c27f69a1b93bbc1e4a31736168ff87ee",
    "share-4.0@5": "eddfe009a4e587ab8fe81e1264a8bd1acc653c38b7046175307da954d43ae2d6",
    "share-4.1@6": "d59f0f51ab471278dff167108fa6dc3fba3379ec2561c84d8d5108c77e6436de",
    "share-4.2@6": "3c8721823a1a8b3623ac7b237a75db6e29cdec0470f0bbefb81704e3885b7132",
    "share-4.3@6": "317fdaddd64dbb47a060a9efa6b6bcceecc7a9f8370ce7a3cad9a3d963dff1ea",
    "share-4.4@6": "756bd3ec82e7377bc78d7dc5d8d5f85205f9cc5c122a8413712d17ceebb13ada",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
